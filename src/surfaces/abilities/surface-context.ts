import type { Contract } from '../../contract/index.ts';

export interface SurfaceContext {
  contract: Contract;
  /** Absolute base URL of this surface. */
  base: string;
  links: Links;
}

export interface Links {
  job(id: string): string;
}
