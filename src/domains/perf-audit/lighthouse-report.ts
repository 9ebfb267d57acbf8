import { truncate } from '../../shared/text.ts';
import { AuditError, type DeviceAuditResult, type LabItem, type Opportunity, type Scores } from './audit.ts';
import { hasScore } from './audit-rules.ts';

/**
 * Reads a report in the format of Lighthouse, from the local browser or the PageSpeed API. The page can belong to
 * anybody and the report can come over a network, so each value is checked.
 */

type LighthouseFields = Readonly<Record<string, unknown>>;

const LAB_ITEMS = [
  'first-contentful-paint',
  'speed-index',
  'largest-contentful-paint',
  'interactive',
  'total-blocking-time',
  'cumulative-layout-shift',
];
const CATEGORIES = {
  performance: 'performance',
  accessibility: 'accessibility',
  bestPractices: 'best-practices',
  seo: 'seo',
} as const;
/** Metrics with savings in milliseconds. The savings of a layout shift have no unit. */
const TIMES = ['FCP', 'LCP', 'TBT', 'INP'];
const MAX_AUDITS = 1000;
const MAX_OPPORTUNITIES = 30;
const MAX_TEXT = 300;
const MAX_URL = 2048;
const LONGEST_MS = 10 * 60 * 1000;

const isFields = (value: unknown): value is LighthouseFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsIn = (fields: LighthouseFields, name: string): LighthouseFields => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return isFields(value) ? value : {};
};
/** Control characters, half surrogate pairs, and characters that change the direction of the text after them. */
const UNSAFE = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;
/** Cuts a text before it cleans it, because a text can have megabytes. A character has at most two code units. */
const cleanText = (text: string, most: number): string => truncate(text.slice(0, 2 * most).replace(UNSAFE, ' '), most);
const textIn = (fields: LighthouseFields, name: string, most = MAX_TEXT): string | null => {
  const value = fields[name];
  return typeof value === 'string' ? cleanText(value, most) : null;
};
const numberIn = (fields: LighthouseFields, name: string): number | null => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e12 ? value : null;
};
const scoreIn = (fields: LighthouseFields): number | null => {
  const score = numberIn(fields, 'score');
  return score === null || score < 0 || score > 1 ? null : score;
};

export function parseLighthouseReport(report: unknown): DeviceAuditResult {
  if (!isFields(report)) throw new AuditError('bad_answer', 'The response is not a Lighthouse report.');
  refuseRuntimeError(fieldsIn(report, 'runtimeError'));
  const scores = parseScores(fieldsIn(report, 'categories'));
  if (!hasScore(scores)) throw new AuditError('bad_answer', 'The Lighthouse report has no score.');
  const audits = fieldsIn(report, 'audits');
  return {
    scores,
    finalUrl: webAddress(textIn(report, 'finalDisplayedUrl', MAX_URL) ?? textIn(report, 'finalUrl', MAX_URL)),
    engineVersion: textIn(report, 'lighthouseVersion', 40),
    labData: LAB_ITEMS.flatMap((id) => labItem(id, fieldsIn(audits, id))),
    opportunities: opportunitiesIn(audits),
  };
}

const CODE = /^[A-Z][A-Z_]{2,60}$/;

export function lighthouseCodeToAuditError(lighthouseCode: string): AuditError {
  const code = CODE.test(lighthouseCode) ? lighthouseCode : 'UNKNOWN';
  if (code === 'INVALID_URL') return new AuditError('invalid_url', 'Lighthouse does not accept the URL (INVALID_URL).');
  if (code === 'PROTOCOL_TIMEOUT') return new AuditError('timeout', 'The browser did not answer in time.');
  return new AuditError('page_unreachable', `Lighthouse could not load the page (${code}).`);
}

function refuseRuntimeError(error: LighthouseFields): void {
  const code = textIn(error, 'code') ?? 'NO_ERROR';
  if (code !== 'NO_ERROR' && code !== '') throw lighthouseCodeToAuditError(code);
}

const parseScores = (categories: LighthouseFields): Scores => {
  const of = (name: string): number | null => {
    const score = scoreIn(fieldsIn(categories, name));
    return score === null ? null : Math.round(score * 100);
  };
  return {
    performance: of(CATEGORIES.performance),
    accessibility: of(CATEGORIES.accessibility),
    bestPractices: of(CATEGORIES.bestPractices),
    seo: of(CATEGORIES.seo),
  };
};

const labItem = (id: string, audit: LighthouseFields): LabItem[] => {
  const title = textIn(audit, 'title');
  if (title === null) return [];
  const [numericValue, numericUnit] = [numberIn(audit, 'numericValue'), textIn(audit, 'numericUnit', 40)];
  return [{ id, title, score: scoreIn(audit), numericValue, numericUnit, displayValue: textIn(audit, 'displayValue') }];
};

/**
 * Returns the opportunities with the largest savings first. New versions of Lighthouse give savings per metric, old
 * ones a single number.
 */
function opportunitiesIn(audits: LighthouseFields): Opportunity[] {
  const opportunities = Object.entries(audits)
    .slice(0, MAX_AUDITS)
    .flatMap(([id, audit]): Opportunity[] => {
      if (!isFields(audit)) return [];
      const [title, savingsMs] = [textIn(audit, 'title'), savingsIn(audit)];
      if (title === null || savingsMs <= 0 || LAB_ITEMS.includes(id)) return [];
      return [
        { id: cleanText(id, 80), title, score: scoreIn(audit), displayValue: textIn(audit, 'displayValue'), savingsMs },
      ];
    });
  return opportunities
    .sort((left, right) => right.savingsMs - left.savingsMs || (left.id < right.id ? -1 : 1))
    .slice(0, MAX_OPPORTUNITIES);
}

function savingsIn(audit: LighthouseFields): number {
  const metrics = fieldsIn(audit, 'metricSavings');
  const savings = [
    numberIn(fieldsIn(audit, 'details'), 'overallSavingsMs'),
    ...TIMES.map((name) => numberIn(metrics, name)),
  ];
  const most = Math.max(0, ...savings.map((each) => each ?? 0));
  return Math.min(LONGEST_MS, Math.round(most));
}

const webAddress = (text: string | null): string | null => (text !== null && /^https?:\/\//i.test(text) ? text : null);
