import type { ChildLink } from '../../connector/child-site.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Change } from '../changes/index.ts';
import { attemptCall, type SiteWithUrlKey, type SyncService } from '../sites/index.ts';
import { findingOf, type HealthFinding } from './health-finding.ts';
import { signedReading } from './health-probes.ts';
import type { WatchStart } from './health-readings.ts';
import { brokenWithOf, HealthWatch } from './health-watch.ts';
import type { RenamedPlugin } from './rule-moves.ts';
import type { SiteHealth } from './site-health.ts';
import type { PendingUpdate, UpdateHealth } from './update.ts';
import { appliedUpdateOf, concludeUpdates, createOpenSteps, type UpdateOutcome } from './update-outcome.ts';
import { watchStartOf } from './update-run-store.ts';
import type { UpdateSender } from './update-sender.ts';

export interface UnverifiedUpdates {
  updates: readonly PendingUpdate[];
  watched?: WatchStart | null;
  /** HTTP status of the home page before the update, as releases before 0.2 stored it. */
  pageBefore?: number | null;
  logPosition?: number | undefined;
}

export interface UpdateVerifierDeps {
  clock: Clock;
  sync: Pick<SyncService, 'store'>;
  health: SiteHealth;
  steps: Pick<UpdateSender, 'read'>;
}

interface VerifiedUpdates extends UpdateOutcome {
  changes: Change[];
  renamed: readonly RenamedPlugin[];
  unconfirmed: readonly PendingUpdate[];
  health: UpdateHealth | null;
  finding: HealthFinding | null;
}

export class UpdateVerifier {
  readonly #deps: UpdateVerifierDeps;

  constructor(deps: UpdateVerifierDeps) {
    this.#deps = deps;
  }

  /** Sends nothing that changes the site. If the site does not respond, the outcomes stay unknown. */
  async verify(
    open: UnverifiedUpdates,
    { site, link, actor }: { site: SiteWithUrlKey; link: ChildLink; actor: string },
  ): Promise<VerifiedUpdates> {
    const { health: siteHealth, steps: sender, sync, clock } = this.#deps;
    // A site in maintenance mode does not respond for a while, so a failed read is not an error here.
    const { value: state, error } = await attemptCall(() => sender.read(site, link));
    const number = link.turn?.number;
    if (state) await attemptCall(() => sync.store(site, state, { complete: false, number }));
    const steps = createOpenSteps(open.updates, state);
    const signed = signedReading({ error });
    const start = watchStartOf(open);
    // Without an answer of WordPress, the site may be in maintenance mode, so its health is not judged.
    const watch = start && signed && new HealthWatch(siteHealth, { siteId: site.id, link }, start);
    watch?.recordSent(...steps.map((step) => ({ ...step, mayStillRun: state !== null && !appliedUpdateOf(step) })));
    await watch?.check();
    watch?.recordSigned(signed);
    const finding = findingOf(watch, { site, at: clock.now() });
    const health = finding?.health ?? null;
    const concluded = concludeUpdates(steps, { readError: null, health, brokenWith: brokenWithOf(watch) }, site, actor);
    return { ...concluded, health, finding };
  }
}
