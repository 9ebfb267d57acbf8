/** Folders of `openapi/`. Each becomes one contract document. */
export const SURFACES = ['abilities', 'v2'] as const;
export type Surface = (typeof SURFACES)[number];
