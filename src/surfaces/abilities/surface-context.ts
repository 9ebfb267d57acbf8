import type { Contract } from '../../contract/index.ts';

export interface SurfaceContext {
  contract: Contract;
  base: string;
  links: Links;
}

export interface Links {
  job(id: string): string;
}
