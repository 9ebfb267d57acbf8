import assert from 'node:assert/strict';
import type { OperationPlace } from '../../src/contract/index.ts';
import { checkAnswer } from '../support/contract-check.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest, namesIn } from '../support/example-request.ts';
import { DocumentedWorld } from './documented-world.ts';

/** What the contract shows of the answer. */
function documentedAnswer({ operation }: OperationPlace): unknown {
  const [answer] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const [media] = Object.values(answer?.[1].content ?? {}) as { example?: unknown }[];
  return media?.example;
}

/** What cannot be done before the operator has set something up, and the code that says so. */
const NEEDS_SET_UP: Record<string, string> = { outbox_resend: 'svc_mail_not_sendable' };

/** Items that failed in a call that went well. */
const failuresIn = (answer: unknown): number => ((answer as { errors?: unknown[] } | undefined)?.errors ?? []).length;

// The defaults have the embedded database.
if (!process.env['TEST_DATABASE_URL'])
  describe('a service with nothing but its defaults', () => {
    let world: DocumentedWorld;
    before(async () => (world = await DocumentedWorld.start()));
    after(() => world.close());

    for (const { contract, place } of documentedOperations()) {
      const { operationId } = place.operation;
      it(`when the example of ${operationId} is sent, then it does what that asks for`, async () => {
        const given = await world.prepare(operationId, namesIn(contract, place));
        const { method, path, body, contentType } = await exampleRequest(contract, place, given);
        const answer = await world.send(method, path, body, contentType ?? undefined);
        const refusal = NEEDS_SET_UP[operationId];
        if (refusal !== undefined) return assert.equal((answer.body as { code?: string }).code, refusal);
        assert.ok(
          answer.status >= 200 && answer.status < 300,
          `${method} ${path} ${body}\n${JSON.stringify(answer.body)}`,
        );
        assert.ok(
          failuresIn(answer.body) <= failuresIn(documentedAnswer(place)),
          `more fails than is documented: ${JSON.stringify(answer.body)}`,
        );
        checkAnswer(method, path.split('?')[0] ?? path, answer.status, answer.body);
      });
    }
  });
