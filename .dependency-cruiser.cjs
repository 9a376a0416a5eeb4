// The import walls: who may know whom. Each rule says what it protects.
const NODE_SIDE_EFFECTS = '^(node:)?(fs|fs/promises|child_process|net|dgram|tls|http|https|worker_threads|cluster)$'

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'What imports itself cannot be read from one end.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shared-is-pure',
      severity: 'error',
      comment: 'shared computes and never acts, so it runs alike on both sides of the privilege line and in a browser.',
      from: { path: '^shared/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'shared-knows-nobody',
      severity: 'error',
      comment: 'Both daemons and the page stand on shared; it stands on nothing of theirs.',
      from: { path: '^shared/' },
      to: { path: '^(root-helper|web-daemon|ui|test|packaging)/' },
    },
    {
      name: 'daemons-meet-on-the-socket',
      severity: 'error',
      comment: 'An import across the privilege line would be a way around the RPC table.',
      from: { path: '^web-daemon/' },
      to: { path: '^root-helper/' },
    },
    {
      name: 'root-knows-no-web',
      severity: 'error',
      comment: 'Root stays small enough to read in an hour.',
      from: { path: '^root-helper/' },
      to: { path: '^(web-daemon|ui)/' },
    },
    {
      name: 'web-starts-no-program',
      severity: 'error',
      comment:
        'The daemon on the open internet must not be able to run anything. The command line runs itself as its owner, and systemctl for root.',
      from: { path: '^web-daemon/', pathNot: '^web-daemon/cli/(owner|host/programs)[.]ts$' },
      to: { path: '^(node:)?child_process$' },
    },
    {
      name: 'root-loads-few-packages',
      severity: 'error',
      comment: 'Every package in root is a package that is root.',
      from: { path: '^root-helper/' },
      to: { path: 'node_modules', pathNot: 'node_modules/(ajv|json-rpc-2\\.0)/' },
    },
    {
      name: 'shared-stands-on-typebox-alone',
      severity: 'error',
      comment: 'A package in shared is one in root, but for this, which the build leaves out of root.',
      from: { path: '^shared/' },
      to: { path: 'node_modules', pathNot: 'node_modules/@sinclair/typebox/' },
    },
    {
      name: 'root-touches-the-host-in-kernel-only',
      severity: 'error',
      comment: 'What changes the host is found in two folders.',
      from: { path: '^root-helper/', pathNot: '^root-helper/(kernel|netlink|native|server\\.ts|helper\\.ts)' },
      to: { path: NODE_SIDE_EFFECTS, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      comment:
        'HTTP, store, events and TLS serve any feature; what they need of one (accounts, audit log, settings) app hands in as a function.',
      from: { path: '^web-daemon/platform/' },
      to: { path: '^web-daemon/(app|change|features|cli)/' },
    },
    {
      name: 'engine-knows-no-feature',
      severity: 'error',
      comment: 'The change engine works on any resource, so a new noun is a new feature and no change of the engine.',
      from: { path: '^web-daemon/change/' },
      to: { path: '^web-daemon/(app|features|cli)/' },
    },
    {
      name: 'features-know-no-app',
      severity: 'error',
      comment:
        'app puts the features together; which feature may import which other is the table of test/architecture/features.test.ts.',
      from: { path: '^web-daemon/features/' },
      to: { path: '^web-daemon/(app|cli)/' },
    },
    {
      name: 'nobody-needs-the-command',
      severity: 'error',
      comment: 'The tunnel-panel command is a program of its own beside the daemon.',
      from: { path: '^web-daemon/', pathNot: '^web-daemon/cli/' },
      to: { path: '^web-daemon/cli/' },
    },
    {
      name: 'express-stays-in-http',
      severity: 'error',
      comment: 'Use cases know nothing of requests and can be tried without them.',
      from: { path: '^web-daemon/', pathNot: '^web-daemon/(platform/http/|app/app\\.ts)' },
      to: { path: 'node_modules/(@types/)?express' },
    },
    {
      name: 'kysely-stays-in-stores',
      severity: 'error',
      comment: "A feature reads another feature's data through its functions, not its tables.",
      from: {
        path: '^web-daemon/',
        pathNot:
          '^web-daemon/(platform/(db|series)/|platform/context\\.ts|features/.*/(store|migration|table)[a-z-]*\\.ts)',
      },
      to: { path: 'node_modules/kysely' },
    },
    {
      name: 'page-knows-the-api-alone',
      severity: 'error',
      comment: 'The page is a client: what it knows of the daemon is what goes over the wire.',
      from: { path: '^ui/' },
      to: { path: '^(web-daemon|root-helper|shared/(?!(api|messages)/))' },
    },
    {
      name: 'page-runs-no-schema',
      severity: 'error',
      comment:
        'Of the wire it takes types, and the few numbers that stand for words; schemas stay out of what a phone has to fetch.',
      from: { path: '^ui/' },
      to: {
        path: '^shared/api/',
        pathNot: '^shared/api/(base/lookups|passwords|routes/cause-codes|scopes)\\.ts',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nobody-needs-tests',
      severity: 'error',
      comment: 'What ships does not import what proves it.',
      from: { path: '^(shared|root-helper|web-daemon|ui)/' },
      to: { path: '^(test|packaging)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)\\.build/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
