import type { ErrorData } from '../../shared/errors.ts';
import type { UpgradeResult, UpgradeClaim } from '../child-site.ts';
import { MAX_VERSION_LENGTH } from './inventory.ts';
import { safeMessageOrNull } from './sanitize-message.ts';
import { decodeStateAfterAction } from './stats.ts';
import {
  coreErrorCodeFromLog,
  translationErrorCodeFromLog,
  detailedErrorFromLog,
  translationErrorFromLog,
} from './upgrade-log.ts';
import { asObject, readEntries, readField, readFlag, readSlug, readText, type JsonRecord } from './json-values.ts';

const MAX_ITEMS = 2_000;

export interface UpgradeContext {
  preface: string;
  secrets: readonly string[];
}

const NOTHING_ELSE: UpgradeContext = { preface: '', secrets: [] };

/**
 * Decodes `upgradeplugintheme` and `upgradetranslation` (protocol 4.3). Depending on its result, an item is in
 * `upgrades`, `upgrades_error` or `updated_data`, or in several of them. An item that is in none of them was skipped.
 * Returns null if the response has another form.
 */
export function decodeUpgrades(value: unknown, reading: UpgradeContext = NOTHING_ELSE): UpgradeResult | null {
  const answer = asObject(value);
  const upgrades = readEntries(readField(answer, 'upgrades'), MAX_ITEMS);
  if (!answer || !upgrades) return null;
  const done = new Map(upgrades);
  const refusals = new Map(readEntries(readField(answer, 'upgrades_error'), MAX_ITEMS) ?? []);
  const other = asObject(readField(answer, 'other_data'));
  const details = new Map(readEntries(readField(other, 'updated_data'), MAX_ITEMS) ?? []);
  const codes = new Map(readEntries(readField(other, 'upgrade_error_codes'), MAX_ITEMS) ?? []);
  const keys = [...new Set([...done.keys(), ...refusals.keys(), ...details.keys()])];
  // The output before the frame can be assigned to an item only if the response has a single item.
  const printed = keys.length === 1 ? reading : { ...reading, preface: '' };
  const claims = keys.flatMap((key) => {
    const slug = readSlug(key);
    if (slug === null) return [];
    const detail = asObject(details.get(key));
    const success = done.get(key) === true && !refusals.has(key) && saysSuccess(detail);
    const errorText = readField(detail, 'error') ?? refusals.get(key);
    const cause = success ? NO_CAUSE : readUpgradeCause(codes.get(key), errorText, printed);
    return [{ slug, success, ...readVersions(detail), ...cause, rolledBack: readFlag(readField(detail, 'rollback')) }];
  });
  return { claims, ...decodeStateAfterAction(answer) };
}

/**
 * Decodes `upgrade` (protocol 4.3). A response without the field `upgrade` means that there was no matching update.
 * Returns null if the response has another form.
 */
export function decodeCoreUpgrade(value: unknown, { preface }: UpgradeContext = NOTHING_ELSE): UpgradeResult | null {
  const answer = asObject(value);
  if (!answer) return null;
  const verdict = readField(answer, 'upgrade');
  if (verdict !== undefined && typeof verdict !== 'string') return null;
  const code = firstCauseCode(readField(asObject(readField(answer, 'other_data')), 'upgrade_error_codes'));
  const claim: UpgradeClaim = {
    slug: 'wordpress',
    success: verdict === 'SUCCESS',
    ...readVersions(answer),
    errorCode: code ?? (verdict === 'WPERROR' ? coreErrorCodeFromLog(preface) : null),
    message: null,
    rolledBack: false,
  };
  return { claims: [claim], ...decodeStateAfterAction(answer) };
}

/**
 * Returns one failed result per slug, for a call that the child refused as a whole. If the child refuses a core update
 * without a code, another update holds the lock of WordPress.
 */
export function refusedUpgrade(functionName: string, slugs: readonly string[], data: ErrorData): UpgradeResult {
  const { child_code: code, child_message: message } = data;
  const claim = {
    success: false,
    oldVersion: '',
    version: '',
    errorCode: firstCauseCode(code) ?? (functionName === 'upgrade' ? 'locked' : null),
    message: typeof message === 'string' ? message : null,
    rolledBack: false,
  };
  return { claims: slugs.map((slug) => ({ slug, ...claim })) };
}

type UpgradeFailureCause = Pick<UpgradeClaim, 'errorCode' | 'message'>;

const NO_CAUSE: UpgradeFailureCause = { errorCode: null, message: null };

function readUpgradeCause(
  codes: unknown,
  errorText: unknown,
  { preface, secrets }: UpgradeContext,
): UpgradeFailureCause {
  const sentence = safeMessageOrNull(errorText, secrets);
  const longer = safeMessageOrNull(
    detailedErrorFromLog(preface, sentence) ?? translationErrorFromLog(preface),
    secrets,
  );
  return { errorCode: firstCauseCode(codes) ?? translationErrorCodeFromLog(preface), message: longer ?? sentence };
}

/**
 * False if the details of an item report a failure. Details without a result count as a success, so that only
 * `upgrades` and `upgrades_error` decide.
 */
const saysSuccess = (detail: JsonRecord | null): boolean =>
  readField(detail, 'success') === undefined || readFlag(readField(detail, 'success'));

const readVersions = (detail: JsonRecord | null): Pick<UpgradeClaim, 'oldVersion' | 'version'> => ({
  oldVersion: readText(readField(detail, 'old_version'), MAX_VERSION_LENGTH),
  version: readText(readField(detail, 'version'), MAX_VERSION_LENGTH),
});

/**
 * Codes that do not name a cause. `mainwp_update_error_code` means that the old copy was restored. `undefined_error`
 * has no meaning.
 */
const NOT_CAUSES = new Set(['mainwp_update_error_code', 'undefined_error']);

function firstCauseCode(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const codes = value.slice(0, 512).split(',');
  return codes.map((code) => code.trim()).find((code) => /^\w{1,64}$/.test(code) && !NOT_CAUSES.has(code)) ?? null;
}
