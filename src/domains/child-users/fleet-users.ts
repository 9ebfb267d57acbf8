import type { JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/errors.ts';
import { refuseField } from '../../shared/fields.ts';
import type { SelectedSites, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import type { FleetOutcome, FleetRunner, FleetSite } from '../jobs/index.ts';
import type { PlacedSite } from '../sites/index.ts';
import { refuseFaults, type NewUser } from './child-user.ts';
import { ALL_SITES, type PlacedUser, type RowInputs, type UserJobs } from './user.jobs.ts';

export interface FleetUsersParts {
  selector: SiteSelector;
  runner: FleetRunner;
  jobs: UserJobs;
}

/** Changes users on several sites. Each change is stored as a job, so it continues after a restart of the process. */
export class FleetUsers {
  readonly #parts: FleetUsersParts;

  constructor(parts: FleetUsersParts) {
    this.#parts = parts;
  }

  /** Creates the user on every site of the selection. An empty selection is rejected. */
  async create(selection: SiteSelection, user: NewUser, actor: string): Promise<FleetOutcome<PlacedUser>> {
    refuseFaults(user);
    const { sites, errors } = await this.#select(selection);
    return this.#run(this.#parts.jobs.createUser, { [ALL_SITES]: user }, sites, actor, errors);
  }

  /** Creates users that were checked by `userFaults`. The identifier of each item contains its row in the file. */
  createEach(users: RowInputs<NewUser>, items: readonly FleetSite[], actor: string): Promise<FleetOutcome<PlacedUser>> {
    return this.#run(this.#parts.jobs.createUser, users, items, actor);
  }

  async setAdminPassword(selection: SiteSelection, password: string, actor: string): Promise<FleetOutcome<PlacedSite>> {
    refuseFaults({ password });
    const { sites, errors } = await this.#select(selection);
    return this.#run(this.#parts.jobs.setAdminPassword, { [ALL_SITES]: { password } }, sites, actor, errors);
  }

  async #select(selection: SiteSelection): Promise<SelectedSites> {
    refuseOpenSelection(selection);
    return this.#parts.selector.select(selection);
  }

  #run<Input, Result>(
    kind: JobKind<Input, Result>,
    input: Input,
    sites: readonly FleetSite[],
    requestedBy: string,
    errors: readonly ItemError[] = [],
  ): Promise<FleetOutcome<Result>> {
    return this.#parts.runner.wait(kind, { input, sites, errors, requestedBy });
  }
}

/** Throws if nothing is selected. Elsewhere an empty selection means all sites, which is too dangerous for a change. */
function refuseOpenSelection({ sites, tags, clients }: SiteSelection): void {
  if ([sites, tags, clients].some((refs) => refs?.length)) return;
  refuseField('sites', 'must name sites, unless tags or clients are named');
}
