import type { Node, Source } from './source.ts';

/** What the source of a segment of the reports says: `openapi/v2/pro-reports/<segment>.yaml`. */
interface Segment {
  /** As in "Report on plugins". */
  title: string;
  description: string;
  /** Codes beside those of every report. */
  errors?: string[];
  /** Where its items come from; beside `none`. */
  sources: string[];
  /** What `action` may name. */
  actions?: string[];
  /** Fields of an item; none for a segment that has no items. */
  item?: Record<string, Node>;
  /** Names of the counts, and what each counts. */
  counts?: Record<string, string>;
  /** Facts that are no counts. */
  summary?: Record<string, Node>;
}

const FORMATS = 'ReportFormatQuery';

/**
 * `segment:` in a file stands for the route of a segment, and for the schemas of its items, counts and facts. All
 * segments are told in the same way, so that what one of them has of its own is all that is written down.
 */
export function withSegment(name: string, source: Source): Source {
  const { segment, ...rest } = source as Source & { segment?: Segment };
  if (!segment) return source;
  const [, slug = ''] = /^v2\/pro-reports\/(.+)\.yaml$/.exec(name) ?? [];
  const report = `${slug.charAt(0).toUpperCase()}${slug.slice(1)}Report`;
  const { title, item = {}, counts = {}, summary = {} } = segment;
  return {
    ...rest,
    path: { parameters: [{ $ref: '../fields.yaml#/SitePath' }], get: operationOf(slug, segment, report) },
    [`${report}Read`]: {
      'x-envelope': 'read',
      description: `The report on ${title}.`,
      properties: {
        site: { $ref: '../sites/fields.yaml#/SiteReference' },
        data: { $ref: `#/${report}` },
      },
    },
    [report]: reportOf(segment, report),
    ...wordsOf(segment, report),
    [`${report}Item`]: record(`One item of the report on ${title}.`, item),
    [`${report}Counts`]: record(
      `What the report on ${title} counts, whatever \`action\` says.`,
      Object.fromEntries(Object.entries(counts).map(([count, description]) => [count, countOf(description)])),
    ),
    [`${report}Summary`]: record(
      `What the report on ${title} says that is no count; empty where \`source\` is none.`,
      summary,
      [],
    ),
  };
}

/** What `source` and `action` may be, where that is more than one word. */
function wordsOf({ title, sources, actions = [] }: Segment, report: string): Record<string, Node> {
  const description = `Where the report on ${title} comes from; \`none\` where nobody can tell of it.`;
  return {
    ...(sources.length > 0 ? { [`${report}Source`]: { type: 'string', enum: [...sources, 'none'], description } } : {}),
    ...(actions.length > 1
      ? { [`${report}Action`]: { type: 'string', enum: actions, description: 'What was done.' } }
      : {}),
  };
}

const countOf = (description: string): Node => ({ type: 'integer', minimum: 0, description, examples: [0] });

/** A segment may know nothing, so that facts need not be there. */
const record = (description: string, properties: Record<string, Node>, required = Object.keys(properties)): Node => ({
  type: 'object',
  description,
  additionalProperties: false,
  ...(required.length === 0 ? {} : { required }),
  properties,
});

function operationOf(slug: string, segment: Segment, report: string): Node {
  const { title, description, errors = [], actions = [] } = segment;
  const parameter = (field: string): Node => ({ $ref: `fields.yaml#/${field}` });
  return {
    operationId: `pro_reports_${slug}`,
    tags: ['pro-reports'],
    summary: `Report on ${title}`,
    description,
    'x-permission': 'read',
    'x-module': 'pro-reports',
    'x-errors': ['svc_site_not_found', 'svc_ambiguous_site', ...errors],
    parameters: [
      parameter('ReportStartQuery'),
      parameter('ReportEndQuery'),
      ...(actions.length === 0 ? [] : [actionQuery(actions, report)]),
      parameter(FORMATS),
    ],
    responses: {
      '200': {
        description: 'The report.',
        content: {
          'application/json': {
            schema: { $ref: `#/${report}Read` },
            example: {
              success: 1,
              site: { 'x-example': '../sites/fields.yaml#/SiteReference' },
              data: exampleOf(slug, segment, report),
            },
          },
          'text/csv': {
            schema: { type: 'string', description: 'One line an item, which end with CR and LF.' },
            example: `${Object.keys(segment.item ?? {}).join(',')}\r\n`,
          },
          'text/html': { schema: { $ref: 'fields.yaml#/ReportHtml' }, example: '<!doctype html><title>Report</title>' },
          'application/pdf': { schema: { $ref: 'fields.yaml#/ReportPdf' }, example: '%PDF-1.4' },
        },
      },
    },
  };
}

const actionQuery = (actions: string[], report: string): Node => ({
  name: 'action',
  in: 'query',
  description: 'Only items of this action; what is counted stays.',
  schema: actions.length > 1 ? { $ref: `#/${report}Action` } : { type: 'string', enum: actions },
  example: actions[0],
});

function exampleOf(slug: string, { sources, item }: Segment, report: string): Node {
  return {
    'x-example': `#/${report}`,
    segment: slug,
    source: sources[0] ?? 'none',
    total: item && sources.length > 0 ? 1 : 0,
    items: item && sources.length > 0 ? [{ 'x-example': `#/${report}Item` }] : [],
    counts: { 'x-example': `#/${report}Counts` },
    summary: sources.length > 0 ? { 'x-example': `#/${report}Summary` } : {},
    sections_data: [],
    other_tokens_data: {},
  };
}

function reportOf({ title, sources }: Segment, report: string): Node {
  return {
    type: 'object',
    description:
      `The report on ${title}. ` + 'With `format=tokens` it is `sections_data` and `other_tokens_data` alone.',
    additionalProperties: false,
    required: ['sections_data', 'other_tokens_data'],
    properties: {
      segment: { $ref: 'fields.yaml#/ReportSegment' },
      source:
        sources.length > 0
          ? { $ref: `#/${report}Source` }
          : { type: 'string', enum: ['none'], description: 'Nobody can tell of it.' },
      start_date: { $ref: 'fields.yaml#/ReportStartDate' },
      end_date: { $ref: 'fields.yaml#/ReportEndDate' },
      total: { $ref: 'fields.yaml#/ReportTotal' },
      items: {
        type: 'array',
        description: 'The items, the newest first; as many as the settings allow.',
        items: { $ref: `#/${report}Item` },
      },
      counts: { $ref: `#/${report}Counts` },
      summary: { $ref: `#/${report}Summary` },
      sections_data: { $ref: 'fields.yaml#/ReportSections' },
      other_tokens_data: { $ref: 'fields.yaml#/ReportTokens' },
    },
  };
}
