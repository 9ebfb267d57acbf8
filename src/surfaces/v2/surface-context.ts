export interface SurfaceContext {
  base: string;
}
