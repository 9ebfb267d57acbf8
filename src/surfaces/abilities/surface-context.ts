import type { Contract } from '../../contract/index.ts';

/** What an ability knows of where it is served. */
export interface SurfaceContext {
  contract: Contract;
  /** Absolute address of this surface. */
  base: string;
  links: Links;
}

/** Absolute addresses that answers carry. */
export interface Links {
  job(id: string): string;
}
