import { handlerIdOf, operationsOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

export interface Coverage {
  operations: number;
  /** Operations that no test has called. */
  unexercised: string[];
  /** Operations, whatever their verb, that never answered with success. */
  withoutSuccess: string[];
  /** Documented answers that no test has met, as `<operation> <status>`. */
  missingErrors: string[];
}

/** Compares what tests recorded (a line `<operation> <status>` each) with what the contract documents. */
export function coverageOf(record: string): Coverage {
  const met = new Set(record.split('\n').filter(Boolean));
  const called = new Set([...met].map((line) => line.split(' ')[0]));
  const succeeded = new Set(
    [...met].flatMap((line) => {
      const [id = '', status = ''] = line.split(' ');
      return status.startsWith('2') ? [handlerIdOf(id)] : [];
    }),
  );
  const places = (['abilities', 'v2'] as const).flatMap((surface) => operationsOf(readContract(surface)));
  return {
    operations: places.length,
    unexercised: places.map(({ operation }) => operation.operationId).filter((id) => !called.has(id)),
    withoutSuccess: [...new Set(places.map(({ id }) => id))].filter((id) => !succeeded.has(id)),
    missingErrors: places.flatMap(({ operation }) =>
      Object.keys(operation.responses)
        .map((status) => `${operation.operationId} ${status}`)
        .filter((line) => !met.has(line)),
    ),
  };
}
