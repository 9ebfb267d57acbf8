import { schemasOf, type Contract, type ContractAnswer, type Schema } from './contract.ts';

/**
 * A contract whose refused answers each allow their own codes alone. Published they share one schema, so that a
 * generated client has one model of a refusal; answers are checked, and our types are made, by the codes of each.
 */
export function withErrorCodes<T extends Contract>(contract: T): T {
  const answers = (contract.components['responses'] ?? {}) as Record<string, ContractAnswer>;
  const { ApiError: model } = schemasOf(contract);
  if (!model) return contract;
  const schemaFor = (codes: string[]): Schema => ({
    ...model,
    properties: { ...model.properties, code: { type: 'string', enum: codes, description: 'Why.' } },
  });
  const narrowed = Object.entries(answers).map(([name, { 'x-error-codes': codes, ...answer }]) => [
    name,
    codes ? { ...answer, content: { 'application/json': { schema: schemaFor(codes) } } } : answer,
  ]);
  const responses = Object.fromEntries(narrowed) as Record<string, ContractAnswer>;
  return { ...contract, components: { ...contract.components, responses } };
}
