export interface CliEnvironment {
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
