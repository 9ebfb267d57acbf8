import type { UpgradeAnswer, UpgradeClaim } from '../child-site.ts';
import { VERSION_MAX } from './inventory.ts';
import { stateAfter } from './stats.ts';
import { asObject, entriesOf, field, flag, slugOf, text, type Json } from './values.ts';

const MAX_ITEMS = 2_000;

/**
 * `upgradeplugintheme` and `upgradetranslation` (protocol 4.3). What went wrong with an item stands in one of three places, by
 * kind; an item that is in none of them was passed over. Null when the answer is not of this form.
 */
export function decodeUpgrades(value: unknown): UpgradeAnswer | null {
  const answer = asObject(value);
  const upgrades = entriesOf(field(answer, 'upgrades'), MAX_ITEMS);
  if (!answer || !upgrades) return null;
  const done = new Map(upgrades);
  const refused = new Map(entriesOf(field(answer, 'upgrades_error'), MAX_ITEMS) ?? []);
  const other = asObject(field(answer, 'other_data'));
  const details = new Map(entriesOf(field(other, 'updated_data'), MAX_ITEMS) ?? []);
  const codes = new Map(entriesOf(field(other, 'upgrade_error_codes'), MAX_ITEMS) ?? []);
  const claims = [...new Set([...done.keys(), ...refused.keys(), ...details.keys()])].flatMap((key) => {
    const slug = slugOf(key);
    if (slug === null) return [];
    const detail = asObject(details.get(key));
    const success = done.get(key) === true && !refused.has(key) && saysSuccess(detail);
    return [{ slug, success, ...versionsOf(detail), errorCode: codeOf(codes.get(key)) }];
  });
  return { claims, ...stateAfter(answer) };
}

/** `upgrade` (protocol 4.3). An answer without a verdict means that nothing fitted. Null when it is no answer to it at all. */
export function decodeCoreUpgrade(value: unknown): UpgradeAnswer | null {
  const answer = asObject(value);
  if (!answer) return null;
  const verdict = field(answer, 'upgrade');
  if (verdict !== undefined && typeof verdict !== 'string') return null;
  const code = field(asObject(field(answer, 'other_data')), 'upgrade_error_codes');
  const claim: UpgradeClaim = {
    slug: 'wordpress',
    success: verdict === 'SUCCESS',
    ...versionsOf(answer),
    errorCode: codeOf(code),
  };
  return { claims: [claim], ...stateAfter(answer) };
}

/** Without details the claim of the list stands. */
const saysSuccess = (detail: Json | null): boolean =>
  field(detail, 'success') === undefined || flag(field(detail, 'success'));

/** The old version is empty when the installer did not get as far as unpacking. */
const versionsOf = (detail: Json | null): Pick<UpgradeClaim, 'oldVersion' | 'version'> => ({
  oldVersion: text(field(detail, 'old_version'), VERSION_MAX),
  version: text(field(detail, 'version'), VERSION_MAX),
});

const codeOf = (value: unknown): string | null =>
  typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null;
