import {
  defineJobKind,
  plainInput,
  PostponedItem,
  type Attempt,
  type ItemWithErrors,
  type JobKind,
} from '../../queue/index.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { itemErrorOf } from '../../shared/item-error.ts';
import type { VerificationRetries } from '../jobs/index.ts';
import {
  parseInstallJobResult,
  toInstallItemResult,
  toInstallResult,
  type InstallJobResult,
} from './install-result.ts';
import type { InstallContext, InstallOutcome, PackageInstaller } from './package-installer.ts';
import type { PackageService } from './package-service.ts';

export const INSTALL_JOB_KIND = 'install-package';

export interface InstallJobInput {
  packageId: number;
  activate: boolean;
}

export interface InstallJobDeps {
  installer: PackageInstaller;
  packages: PackageService;
  retries: Pick<VerificationRetries, 'next'>;
}

export const toInstallContext = ({ item, resumed, lease }: Attempt): InstallContext => ({
  itemId: item.id,
  actor: item.requestedBy,
  resumed,
  oneOfMany: !item.isOnlyItem,
  lease,
});

export const installJob = (deps: InstallJobDeps): JobKind<InstallJobInput, InstallJobResult> =>
  defineJobKind({
    name: INSTALL_JOB_KIND,
    about: 'site',
    input: plainInput<InstallJobInput>(),
    result: parseInstallJobResult,
    whenCancelled: 'finish',
    retryPermission: 'packages:install',
    hasBegun: ({ item }) => deps.installer.hasBegun(item.id),
    perform: async ({ subject, input, ...attempt }) => {
      const { identifier } = attempt.item;
      return keepErrorDetails({ installed: null, errors: [] }, identifier, subject, async () => {
        const stored = await deps.packages.get(input.packageId);
        const outcome = await deps.installer.install(
          subject,
          stored,
          { activate: input.activate },
          toInstallContext(attempt),
        );
        return resultOrRetry(deps, outcome, toInstallResult(outcome, stored, identifier));
      });
    },
  });

/** Postpones an item whose result is not clear yet, as long as retries are left. */
export function resultOrRetry<Result extends InstallJobResult>(
  { retries }: Pick<InstallJobDeps, 'retries'>,
  { verdict, unclearSince }: InstallOutcome,
  value: Result,
) {
  const result = toInstallItemResult(value);
  const next = verdict === 'unknown' ? retries.next(unclearSince) : null;
  return next === null ? result : new PostponedItem(next, result);
}

/**
 * Runs `work`. If it throws a `DomainError`, returns `nothing` with the error and its data, because the queue itself
 * would store only the code and the message.
 */
export async function keepErrorDetails<Result extends InstallJobResult, Done>(
  nothing: Result,
  identifier: string | number,
  siteId: number,
  work: () => Promise<Done>,
): Promise<Done | Result | ItemWithErrors<Result>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error instanceof DatabaseUnavailableError) throw error;
    return toInstallItemResult({ ...nothing, errors: [itemErrorOf(identifier, error, { site_id: siteId })] });
  }
}
