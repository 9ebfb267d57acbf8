import type { Contract } from '../../contract/index.ts';

export interface SurfaceContext {
  contract: Contract;
  base: string;
  links: JobLinks;
}

export interface JobLinks {
  job(id: string): string;
}
