import { errorCodesOf, operationsOf, type Contract, type LocatedOperation } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

export interface DocumentedOperation {
  contract: Contract;
  place: LocatedOperation;
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
          if (code === undefined) return place.operation.responses[status] !== undefined;
          return errorCodesOf(contract, place).get(String(status))?.includes(code) === true;
        },
      }))
      .filter(fits);
  });
}
