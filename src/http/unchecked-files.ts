import { binaryFormFields, deref, operationsOf, type Contract } from '../contract/index.ts';

/**
 * Returns a copy of the contract that accepts any value for a binary file of a form: the validator has no type for the
 * `UploadedFile` that `multipartBody` makes of it. A handler refuses a value that is no file.
 */
export function withUncheckedFiles(contract: Contract): Contract {
  const paths = { ...contract.paths };
  for (const { path, verb, operation } of operationsOf(contract)) {
    const { requestBody } = operation;
    const media = requestBody?.content['multipart/form-data'];
    const files = media ? binaryFormFields(contract, media.schema) : [];
    if (!requestBody || !media || files.length === 0) continue;
    const schema = deref(contract, media.schema);
    const properties = { ...schema.properties, ...Object.fromEntries(files.map((name) => [name, {}])) };
    const content = { ...requestBody.content, 'multipart/form-data': { ...media, schema: { ...schema, properties } } };
    paths[path] = { ...paths[path], [verb]: { ...operation, requestBody: { ...requestBody, content } } };
  }
  return { ...contract, paths };
}
