import { errorCodesOf, operationsOf, type Contract, type LocatedOperation } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

export interface DocumentedOperation {
  contract: Contract;
  place: LocatedOperation;
  /** True if the contract lists this status, with this code. */
  has: (status: number, code?: string) => boolean;
}

/** Returns the operations of both surfaces that fit. */
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
