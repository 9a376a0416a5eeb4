// How components are compiled, for the build, the checks and editors alike.
export default {
  compilerOptions: {
    runes: true,
    // A phone lays tables out as cards, and a browser may then forget that they are tables: the roles are repeated.
    warningFilter: ({ code }) => code !== 'a11y_no_redundant_roles',
  },
}
