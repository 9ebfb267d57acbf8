/** The folders of openapi/ that are a document each. */
export const SURFACES = ['abilities', 'v2'] as const;
export type Surface = (typeof SURFACES)[number];
