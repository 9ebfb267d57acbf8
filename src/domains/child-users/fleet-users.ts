import type { Sealing } from '../../db/sealing.ts';
import type { ItemError } from '../../shared/errors.ts';
import type { SelectedSites, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import type { FleetOutcome, FleetRunner, FleetSite } from '../jobs/index.ts';
import { refuseFaults, userFaults, type NewUser, type PlacedSite } from './child-user.ts';
import { ALL_SITES, sealInputs, type PlacedUser, type RowInputs, type UserJobKind } from './user.jobs.ts';

export interface FleetUsersParts {
  sealing: Sealing;
  selector: SiteSelector;
  runner: FleetRunner;
}

/**
 * Changes of users on several sites, each recorded as a job: what was asked for is done, whatever becomes of the
 * process.
 */
export class FleetUsers {
  readonly #parts: FleetUsersParts;

  constructor(parts: FleetUsersParts) {
    this.#parts = parts;
  }

  /** Creates the user on every site of the selection, which must name its sites. */
  async create(selection: SiteSelection, user: NewUser, actor: string): Promise<FleetOutcome<PlacedUser>> {
    refuseFaults(userFaults(user));
    const { sites, errors } = await this.#select(selection);
    return this.#run('create-user', { [ALL_SITES]: user }, sites, actor, errors);
  }

  /** Creates users that were checked by `userFaults`; each item names the row that asks for it. */
  createEach(
    users: RowInputs<'create-user'>,
    items: readonly FleetSite[],
    actor: string,
  ): Promise<FleetOutcome<PlacedUser>> {
    return this.#run('create-user', users, items, actor);
  }

  /** Sets the password of the administrator that each site is connected with. */
  async setAdminPassword(selection: SiteSelection, password: string, actor: string): Promise<FleetOutcome<PlacedSite>> {
    refuseFaults(userFaults({ password }));
    const { sites, errors } = await this.#select(selection);
    return this.#run('admin-password', { [ALL_SITES]: { password } }, sites, actor, errors);
  }

  async #select(selection: SiteSelection): Promise<SelectedSites> {
    refuseOpenSelection(selection);
    return this.#parts.selector.select(selection);
  }

  #run<K extends UserJobKind, T>(
    kind: K,
    rows: RowInputs<K>,
    sites: readonly FleetSite[],
    requestedBy: string,
    errors: readonly ItemError[] = [],
  ): Promise<FleetOutcome<T>> {
    const { sealing, runner } = this.#parts;
    return runner.wait({ kind, input: sealInputs(sealing, kind, rows), sites, errors, requestedBy });
  }
}

/** A change never means all sites because a list was empty. */
function refuseOpenSelection({ websites, groups, clients }: SiteSelection): void {
  if ([websites, groups, clients].some((refs) => refs?.length)) return;
  const message = 'must name sites, unless groups or clients does';
  refuseFaults([{ path: 'websites', message }]);
}
