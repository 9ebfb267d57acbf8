import {
  ADDRESS_ROWS,
  FIELD_ROWS,
  UNSUPPORTED_ROWS,
  LENIENCIES,
  MOUNTS,
  OPERATION_ROWS,
  ERROR_ROWS,
  type CompatSurface,
} from '../../src/surfaces/compat/table/index.ts';

const SURFACE_TITLES: Record<CompatSurface, string> = { abilities: 'Abilities', v2: 'REST routes' };

/** The page on what the compatibility mount does as the established product does, and what it does not. */
export function compatGuide(): string {
  return `---
title: Differences from the established product
order: 20
group: Move
---

# Differences from the established product

This page is made by \`npm run generate\` from the table that the mount itself reads
(\`src/surfaces/compat/table/\`). [Moving here](moving.md) tells how to go about it.

## What is the same

Under \`${MOUNTS.abilities}\` and \`${MOUNTS.v2}\` callers find the addresses, names and shapes that they know.

${SURFACES.map(section).join('\n')}
### Names in answers

In all answers names and codes that begin with \`svc_\` here begin with \`mainwp_\`.

${bullets(FIELD_ROWS)}
### Everywhere

${LENIENCIES.map((line) => `- ${line}\n`).join('')}
## What is not copied

| subject | here | why |
| --- | --- | --- |
${UNSUPPORTED_ROWS.map(({ subject, note, reason }) => `| ${subject} | ${note} | ${reason} |\n`).join('')}
What the established product's records hold and these do not is missing from the answers; no field has another meaning.
`;
}

const SURFACES = ['abilities', 'v2'] as const;

function section(surface: CompatSurface): string {
  const own = <T extends { surface: CompatSurface }>(rows: readonly T[]): T[] =>
    rows.filter((row) => row.surface === surface);
  return `### ${SURFACE_TITLES[surface]}: addresses

${bullets(own(ADDRESS_ROWS))}
### ${SURFACE_TITLES[surface]}: what is sent and answered

${bullets(own(OPERATION_ROWS))}
### ${SURFACE_TITLES[surface]}: refusals

${bullets(own(ERROR_ROWS))}`;
}

const bullets = (rows: readonly { note: string }[]): string => rows.map(({ note }) => `- ${note}\n`).join('');
