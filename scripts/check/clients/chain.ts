/** Folders of one generator's run. */
export interface WorkFolders {
  /** Holds `abilities.openapi.json` and `v2.openapi.json`. */
  documents: string;
  /** Empty at the start. The clients go to its folders `abilities` and `v2`, the program beside them. */
  folder: string;
}

export interface Command {
  command: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** One generator: how its clients of both surfaces are generated, compiled and called. */
export interface GeneratorChain {
  name: string;
  /** Pinned, because another version generates other code from the same documents. */
  version: string;
  /** Returns which tool is missing, or null. */
  missing: () => string | null;
  /** Options and workarounds, for the table in the guide. */
  notes: string;
  generate: (work: WorkFolders) => Promise<void>;
  /** Throws the compiler's output. Omitted if no toolchain can be installed. */
  compile?: (work: WorkFolders) => Promise<void>;
  /** Returns the command of the program, which prints `expectedOutput`, or null if a module is missing. */
  program?: (work: WorkFolders) => Promise<Command | null>;
  /** Further checks against the service, after all programs. Returns what was checked. */
  check?: (work: WorkFolders, access: ServiceAccess) => Promise<string>;
}

export interface ServiceAccess {
  url: string;
  /** Number of bytes of the last PDF that the service sent. */
  pdfBytes: () => number;
  user: string;
  password: string;
  apiKey: string;
}

/**
 * Returns the output of a program. The service has five sites and no tag. `pdfBytes` is the size of the file that
 * it sent; a client that reads a file as text changes its size.
 */
export const expectedOutput = (pdfBytes: number): string => `5 sites
page 1: 1, 2
page 2: 3, 4
by ID: 1
by domain: 1
409 svc_already_exists
color: null
ability: 1
csv: id
pdf: ${pdfBytes} bytes
job: completed
unknown type: teleport
`;
