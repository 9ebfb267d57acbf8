/** All that a command needs of the process that it runs in. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
  out: Output;
  err: Output;
  stdin: NodeJS.ReadStream;
  signal: AbortSignal;
}

export interface Output {
  write(text: string | Uint8Array): void;
  isTerminal: boolean;
  columns: number | undefined;
}
