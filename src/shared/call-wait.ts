export interface CallWait {
  /** The call returns after this time, unless a deadline of the service is earlier. */
  deadlineMs: number;
  /** Receives the ID of a job before the call waits for it. */
  onJob: (jobId: string) => void;
}
