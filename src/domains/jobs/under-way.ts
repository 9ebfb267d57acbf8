/** A job of several sites, by what its caller is told of it. */
export interface StartedRun {
  jobId: string;
  sites: number;
}

/** The guard of a call throws it where a job does already what the call asks for. */
export class UnderWay extends Error {
  readonly run: StartedRun;

  constructor(run: StartedRun) {
    super('A job that does as much is under way.');
    this.run = run;
  }
}
