export interface SurfaceContext {
  /** Absolute base URL of this surface. */
  base: string;
}
