/** What a route knows of where it is served. */
export interface Door {
  /** Absolute address of this surface. */
  base: string;
}
