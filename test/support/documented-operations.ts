import { deref, operationsOf, type Contract, type OperationPlace } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated.ts';

export interface DocumentedOperation {
  contract: Contract;
  place: OperationPlace;
  /** Whether the contract lists this status, and this code with it. */
  has: (status: number, code?: string) => boolean;
}

/** The operations of both surfaces that document what a test is about. */
export function documentedOperations(
  fits: (operation: DocumentedOperation) => boolean = () => true,
): DocumentedOperation[] {
  return (['abilities', 'v2'] as const).flatMap((surface) => {
    const contract = readContract(surface);
    return operationsOf(contract)
      .map((place) => ({
        contract,
        place,
        has: (status: number, code?: string): boolean => {
          const answer = place.operation.responses[status];
          if (answer === undefined || code === undefined) return answer !== undefined;
          return JSON.stringify(deref(contract, answer as object)).includes(`"${code}"`);
        },
      }))
      .filter(fits);
  });
}
