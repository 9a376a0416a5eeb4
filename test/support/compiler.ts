// The TypeScript compiler over sources that are in no file.
import ts from 'typescript'

/** What is wrong with each source, by its path; it imports from there as a file would. */
export function diagnosticsOf(
  sources: ReadonlyMap<string, string>,
  compilerOptions: ts.CompilerOptions,
): ReadonlyMap<string, readonly ts.Diagnostic[]> {
  const options = { ...compilerOptions, noEmit: true }
  const host = ts.createCompilerHost(options)
  const read = host.readFile.bind(host)
  const exists = host.fileExists.bind(host)
  host.readFile = (path) => sources.get(path) ?? read(path)
  host.fileExists = (path) => sources.has(path) || exists(path)
  const program = ts.createProgram([...sources.keys()], options, host)
  return new Map(
    [...sources.keys()].map((path) => {
      const source = program.getSourceFile(path)
      return [path, [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]]
    }),
  )
}

export const textOf = ({ messageText }: ts.Diagnostic): string => ts.flattenDiagnosticMessageText(messageText, '\n')
