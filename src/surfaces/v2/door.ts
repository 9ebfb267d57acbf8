export interface Door {
  /** Absolute base URL of this surface. */
  base: string;
}
