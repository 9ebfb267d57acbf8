import type { Knex } from 'knex';
import { createUnvalidatedParser, defineJobKind, plainInput, type Attempt, type JobKind } from '../../queue/index.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import type { StartedRun } from '../jobs/index.ts';
import type { PinsServices } from '../pins/index.ts';
import { EarlierVersionReadModel } from './earlier-version-read-model.ts';
import { InstallStore, type SentInstall } from './install-store.ts';
import { keepErrorDetails, resultOrRetry, toInstallContext, type InstallJobDeps } from './install.job.ts';
import { toInstallResult, type InstallJobResult } from './install-result.ts';
import type { PackageKind, StoredPackage } from './package.ts';
import type { InstallCondition } from './package-installer.ts';
import { leaveOutBelow } from './rollback-pin.ts';
import { currentItem, noEarlierVersion, rangeBelow, refuseRollback } from './rollback-target.ts';
import { SiteItemReadModel } from './site-item-read-model.ts';
import { siteSlugOf } from './site-item.ts';

export interface RollbackJobInput {
  kind: PackageKind;
  slug: string;
  /** Null for the version before the installed one. */
  version: string | null;
  isConfirmed: boolean;
  /** True to pin the item below the version that is rolled back. */
  skips: boolean;
  /** Scope in which all sites with the item are pinned too, after the rollback has succeeded. */
  fleet?: SiteScope | undefined;
  /** In a retry: the job that was retried first. */
  firstJobId?: string;
}

export interface RollbackJobResult extends InstallJobResult {
  /** Range of the pin that was set; null without a pin. */
  pin: string | null;
  /** Version that was rolled back; null if nothing changed. */
  left: string | null;
  /**
   * Null without `fleet`, and as long as the outcome of the rollback is unknown. `run` is null if there are no sites to
   * pin.
   */
  fleetPin: { run: StartedRun | null } | null;
}

export const parseRollbackJobResult = createUnvalidatedParser<RollbackJobResult>();

export interface RollbackJobDeps extends InstallJobDeps {
  knex: Knex;
  pins: PinsServices['pins'];
  pinFleet: PinsServices['pinFleet'];
}

export function rollbackJob(deps: RollbackJobDeps): JobKind<RollbackJobInput, RollbackJobResult> {
  return defineJobKind({
    name: 'rollback-package',
    about: 'site',
    input: plainInput<RollbackJobInput>(),
    result: parseRollbackJobResult,
    whenCancelled: 'finish',
    retryPermission: 'updates:run',
    retryAlsoNeeds: (input) => ((input as RollbackJobInput).fleet ? 'updates:write' : null),
    retriedInput: (input, jobId) => ({ firstJobId: jobId, ...(input as RollbackJobInput) }),
    hasBegun: ({ item }) => deps.installer.hasBegun(item.id),
    perform: async ({ subject, input, ...attempt }) => {
      const nothing = {
        installed: null,
        errors: [],
        pin: null,
        left: null,
        fleetPin: input.fleet ? { run: null } : null,
      };
      return keepErrorDetails(nothing, attempt.item.identifier, subject, () => rollBack(deps, subject, input, attempt));
    },
  });
}

async function rollBack(deps: RollbackJobDeps, siteId: number, input: RollbackJobInput, attempt: Attempt) {
  const { installer } = deps;
  const { identifier } = attempt.item;
  const { stored, reported, ...chosen } = await choosePackage(deps, siteId, input, attempt);
  const outcome = await installer.install(siteId, stored, { activate: false, ...chosen }, toInstallContext(attempt));
  const installed = toInstallResult(outcome, stored, identifier);
  // If the files of the item were already missing, the version in the last report counts as rolled back.
  const left = installed.installed?.changed ? (installed.installed.oldVersion ?? reported) : null;
  const pin = input.skips && left !== null ? await pinBelow(deps, siteId, stored, left, attempt) : null;
  const isKnown = outcome.verdict !== 'unknown';
  const fleetPin = input.fleet && isKnown ? { run: await pinFleet(deps, input.fleet, installed, left, attempt) } : null;
  return resultOrRetry(deps, outcome, { ...installed, pin, left, fleetPin });
}

interface ChosenPackage {
  stored: StoredPackage;
  reported: string | null;
  condition: InstallCondition;
  retried?: SentInstall;
}

/**
 * Chooses the package by the last report of the site. `condition` checks the version right before the installation
 * again, because the site may have updated the item since the report. A later attempt installs the package that the
 * first attempt chose. So does a retry, unless the installation has failed: the rollback may have taken effect, and the
 * version before the installed one is then another.
 */
async function choosePackage(
  { knex, packages }: RollbackJobDeps,
  siteId: number,
  { kind, slug, version, isConfirmed, firstJobId }: RollbackJobInput,
  { item, resumed }: Attempt,
): Promise<ChosenPackage> {
  const installs = new InstallStore(knex);
  const isLimited = item.owner !== null;
  const condition = (target: string): InstallCondition => {
    return (before) => {
      if (before && before.version !== target) refuseRollback(before.version, target, isConfirmed);
    };
  };
  const earlier = resumed ? await installs.find(item.id) : null;
  if (earlier) {
    const stored = await packages.get(earlier.packageId);
    return { stored, reported: earlier.before?.version ?? null, condition: condition(stored.version) };
  }
  const retried = firstJobId === undefined ? null : await installs.findRetried(firstJobId, siteId);
  if (retried) {
    const target = version ?? retried.version;
    if (target === null)
      throw noEarlierVersion('The package of the earlier attempt was deleted. Start a new rollback, and send version.');
    const stored = await packages.fetchForSites({ kind, slug, version: target }, item.requestedBy, { isLimited });
    return { stored, reported: retried.before?.version ?? null, condition: condition(target), retried };
  }
  const current = currentItem(await new SiteItemReadModel(knex).find(siteId, { kind, slug }), { kind, slug });
  if (!current) throw noEarlierVersion(`The site has no ${kind} of this name.`);
  const target = version ?? (await new EarlierVersionReadModel(knex).find(siteId, kind, current));
  if (target === null)
    throw noEarlierVersion('The change log names no version before the installed one. Send version.');
  refuseRollback(current.version, target, isConfirmed);
  const stored = await packages.fetchForSites({ kind, slug, version: target }, item.requestedBy, { isLimited });
  return {
    stored,
    reported: current.version,
    condition: (before) => {
      if (!before) return;
      if (version === null && before.version !== current.version)
        throw noEarlierVersion(
          `The site has version ${before.version}, and its last sync found ${current.version}. Sync it, or send version.`,
        );
      refuseRollback(before.version, target, isConfirmed);
    },
  };
}

function pinBelow(
  { pins }: RollbackJobDeps,
  siteId: number,
  stored: StoredPackage,
  left: string,
  { item, lease }: Attempt,
): Promise<string | null> {
  const version = { left, note: `Rolled back from ${left}.` };
  const context = { actor: item.requestedBy, oneOfMany: !item.isOnlyItem, lease };
  return leaveOutBelow(pins, siteId, { type: stored.kind, slug: siteSlugOf(stored) }, version, context);
}

/**
 * Starts the pins of the other sites. A later attempt starts them again, which keeps the pins that are already set.
 */
async function pinFleet(
  { pinFleet: pins }: RollbackJobDeps,
  scope: SiteScope,
  { installed }: InstallJobResult,
  left: string | null,
  { item: { requestedBy: name, owner } }: Attempt,
): Promise<StartedRun | null> {
  const version = left === null ? null : rangeBelow(left);
  if (!installed || left === null || version === null) return null;
  const fields = { version, note: `Rolled back from ${left} on ${installed.siteName}.`, excluded: left };
  const item = { type: installed.kind, slug: installed.slug };
  return pins.start({ scope, allSites: true }, item, fields, { name, owner });
}
