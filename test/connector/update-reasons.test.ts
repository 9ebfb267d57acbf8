import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { decodeCoreUpgrade, decodeUpgrades, refusedUpgrade } from '../../src/connector/answers/upgrades.ts';
import { parseChildError, operationFailedError } from '../../src/connector/child-errors.ts';
import type { UpgradeClaim } from '../../src/connector/child-site.ts';

interface Recorded {
  case: string;
  function: string;
  list: string;
  preface: string;
  answer: Record<string, unknown>;
}

/** Recorded responses of an unmodified child 6.1 to failed updates, with the (sometimes cut) output before them. */
const RECORDED = new Map(
  readFileSync(new URL('recordings/updates-that-fail.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
    .map((each) => [each.case, each]),
);

const NOT_INSTALLED = 'The package could not be installed.';
const UNWRITABLE =
  'The update cannot be installed because some files could not be copied. ' +
  'This is usually due to inconsistent file permissions.';
const BAD_ZIP = `${NOT_INSTALLED} PCLZIP_ERR_BAD_FORMAT (-10) : Unable to find End of Central Dir Record signature`;
const needs = (what: string) => `Your WordPress version is 6.9.7, however the new ${what} version requires 99.0.`;

/** Code, start of the message, and `true` if real sites restored the old version. */
const EXPECTED: Record<string, [code: string | null, message: string | null, rolledBack?: true]> = {
  'update-fail-404': ['download_failed', 'Download failed. Not Found'],
  'update-fail-bad-host': ['download_failed', 'Download failed.'],
  'update-fail-refused': ['download_failed', 'Download failed.'],
  'update-fail-corrupt-zip': ['incompatible_archive', BAD_ZIP],
  'update-fail-cut-zip': ['incompatible_archive', NOT_INSTALLED],
  'update-fail-html-instead-of-zip': ['incompatible_archive', NOT_INSTALLED],
  'update-fail-empty-zip': ['incompatible_archive_empty', NOT_INSTALLED, true],
  'update-fail-zip-without-plugin': ['incompatible_archive_no_plugins', NOT_INSTALLED, true],
  'update-fail-no_package-alone': ['no_package', 'Update package not available.'],
  'update-fail-requires-php-alone': [
    'incompatible_php_required_version',
    'The PHP version on your server is 8.2.36, however the new plugin version requires 99.0.',
  ],
  'update-fail-requires-wp-alone': ['incompatible_wp_required_version', needs('plugin')],
  'update-fail-unwritable-plugin-folder': ['files_not_writable', `${UNWRITABLE} rig-beta.php, Update error.`, true],
  'update-fail-unwritable-plugins-folder': ['remove_old_failed', 'Could not remove the old plugin.', true],
  'update-fail-unwritable-upgrade-folder': ['mkdir_failed_ziparchive', 'Could not create directory.'],
  'update-fail-theme-404': ['download_failed', 'Download failed.'],
  'update-fail-theme-corrupt-zip': ['incompatible_archive', NOT_INSTALLED],
  'update-fail-theme-no_package': ['no_package', 'Update package not available.'],
  'update-fail-theme-requires-wp': ['incompatible_wp_required_version', needs('theme')],
  'update-fail-theme-unwritable': ['files_not_writable', 'The update cannot be installed', true],
  'core-404': ['download_failed', null],
  'core-no-package': ['no_package', null],
  'core-corrupt': ['install_failed', null],
  'core-unwritable': ['install_failed', null],
  'core-locked': ['locked', 'Another update is currently in progress.'],
  'translation-404': ['download_failed', 'Download failed. Not Found'],
  'translation-corrupt': ['incompatible_archive', BAD_ZIP],
};

function claimIn({ function: name, answer, preface }: Recorded): UpgradeClaim | undefined {
  const refusal = parseChildError(answer);
  if (refusal) return refusedUpgrade(name, ['wordpress'], operationFailedError(refusal).data).claims[0];
  const decode = name === 'upgrade' ? decodeCoreUpgrade : decodeUpgrades;
  return decode(answer, { preface, secrets: [] })?.claims[0];
}

describe('reason of a failed update, as recorded', () => {
  for (const [name, [code, message, rolledBack = false]] of Object.entries(EXPECTED))
    it(`when ${name} fails, then the reason is ${code}${rolledBack ? ', and the old version is restored' : ''}`, () => {
      const recorded = RECORDED.get(name);
      assert.ok(recorded);
      const claim = claimIn(recorded);
      assert.equal(claim?.success, false);
      assert.deepEqual([claim.errorCode, claim.rolledBack], [code, rolledBack]);
      if (message === null) assert.equal(claim.message, null);
      else assert.ok(claim.message?.startsWith(message), String(claim.message));
    });

  for (const name of ['update-fail-current', 'update-fail-not-installed', 'core-ok', 'core-latest', 'translation-ok'])
    it(`when ${name} is reported as done, then there is no reason`, () => {
      const claim = claimIn(RECORDED.get(name) as Recorded);
      assert.deepEqual([claim?.success, claim?.errorCode, claim?.message], [true, null, null]);
    });

  it('when a list of updates has one failure, then only that item has a reason', () => {
    for (const name of ['update-fail-no_package-with-other', 'update-fail-requires-wp-with-other']) {
      const { answer, preface } = RECORDED.get(name) as Recorded;
      const claims = decodeUpgrades(answer, { preface, secrets: [] })?.claims ?? [];
      assert.deepEqual(claims.map(({ success }) => success).sort(), [false, true], name);
      const failed = claims.find(({ success }) => !success);
      assert.equal(failed?.errorCode, name.includes('no_package') ? 'no_package' : 'incompatible_wp_required_version');
    }
  });

  it('when the reason contains a secret or markup, then neither is in the message', () => {
    const answer = (error: string) => ({
      upgrades: [],
      upgrades_error: { x: error },
      other_data: { updated_data: { x: { success: 0, error } } },
    });
    const messageOf = (error: string) =>
      decodeUpgrades(answer(error), { preface: '', secrets: ['s3cret-word'] })?.claims[0]?.message;
    assert.equal(messageOf('<b>No</b> &amp; &lt;script&gt;x'), 'No & x');
    assert.equal(messageOf('Basic s3cret-word refused'), null);
    assert.equal(messageOf(`Key ${'a1'.repeat(30)}`), 'Key [...]');
  });
});
