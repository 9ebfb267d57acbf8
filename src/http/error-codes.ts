interface Components {
  components: Record<string, Record<string, unknown>>;
}

interface RefusedAnswer {
  'x-error-codes'?: string[];
  content?: { 'application/json': { schema: unknown } };
}
type Answers = Record<string, RefusedAnswer>;

/**
 * A contract whose refused answers each allow their own codes alone. Published they share one schema, so that a
 * generated client has one model of a refusal; answers are checked, and our types are made, by the codes of each.
 */
export function withErrorCodes<T extends Components>(contract: T): T {
  const answers = (contract.components['responses'] ?? {}) as Answers;
  const { ApiError: model } = (contract.components['schemas'] ?? {}) as { ApiError?: { properties: object } };
  if (!model) return contract;
  const schemaFor = (codes: string[]): unknown => ({
    ...model,
    properties: { ...model.properties, code: { type: 'string', enum: codes, description: 'Why.' } },
  });
  const narrowed = Object.entries(answers).map(([name, { 'x-error-codes': codes, ...answer }]) => [
    name,
    codes ? { ...answer, content: { 'application/json': { schema: schemaFor(codes) } } } : answer,
  ]);
  const responses = Object.fromEntries(narrowed) as Answers;
  return { ...contract, components: { ...contract.components, responses } };
}
