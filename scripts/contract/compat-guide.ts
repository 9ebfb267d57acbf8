import {
  ADDRESS_ROWS,
  FIELD_ROWS,
  UNSUPPORTED_ROWS,
  LENIENCIES,
  MAINWP_MOUNT_PATHS,
  OPERATION_ROWS,
  ERROR_ROWS,
} from '../../src/surfaces/compat/table/index.ts';
import type { SurfaceName } from '../../src/surfaces/generated-files.ts';

const SURFACE_TITLES: Record<SurfaceName, string> = { abilities: 'Abilities', v2: 'REST routes' };

/** The page on what the compatibility mount does as the established product does, and what it does not. */
export function compatGuide(): string {
  return `---
title: Differences from the established product
order: 20
group: Migrate
---

# Differences from the established product

This page lists what clients of the established product find under \`/wp-json\`. [Moving here](moving.md) describes the
move. \`npm run generate\` creates this page from the translation table (\`src/surfaces/compat/table/\`). A test proves each
row of [the differences](#what-is-different).

## What is the same

\`${MAINWP_MOUNT_PATHS.abilities}\` and \`${MAINWP_MOUNT_PATHS.v2}\` have the addresses, names and formats of the established product.

${SURFACES.map(section).join('\n')}
### Names in responses

In all responses, names and codes start with \`mainwp_\` where this service has \`svc_\`.

${bullets(FIELD_ROWS)}
### Everywhere

${LENIENCIES.map((line) => `- ${line}\n`).join('')}
## What is different

| subject | difference | reason |
| --- | --- | --- |
${UNSUPPORTED_ROWS.map(({ subject, note, reason }) => `| ${subject} | ${note} | ${reason} |\n`).join('')}
If this service does not have a field of the established product, the responses do not contain it. No field has another
meaning.
`;
}

const SURFACES = ['abilities', 'v2'] as const;

function section(surface: SurfaceName): string {
  const own = <T extends { surface: SurfaceName }>(rows: readonly T[]): T[] =>
    rows.filter((row) => row.surface === surface);
  return `### ${SURFACE_TITLES[surface]}: addresses

${bullets(own(ADDRESS_ROWS))}
### ${SURFACE_TITLES[surface]}: requests and responses

${bullets(own(OPERATION_ROWS))}
### ${SURFACE_TITLES[surface]}: errors

${bullets(own(ERROR_ROWS))}`;
}

const bullets = (rows: readonly { note: string }[]): string => rows.map(({ note }) => `- ${note}\n`).join('');
