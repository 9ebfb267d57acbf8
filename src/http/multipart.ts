import busboy from 'busboy';
import type { Request, RequestHandler } from 'express';
import { DomainError, CodedInvalidError, TooLargeError } from '../shared/errors.ts';
import { basePathOf, deref, memoize, operationsOf, patternOf, type Contract, type Schema } from '../contract/index.ts';
import { carriesBody } from './request-middleware.ts';
import { coerceQueryValue } from './query.ts';

const MULTIPART = 'multipart/form-data';
const FILE_LIMIT = 2 * 1024 * 1024;
const LIMITS = { files: 1, fileSize: FILE_LIMIT, fields: 20, fieldSize: 4_096, fieldNameSize: 100, parts: 21 };

interface Form {
  verb: string;
  path: RegExp;
  contract: Contract;
  schema: Schema;
}

/**
 * Reads forms for the operations whose contract has them, and for no other: the texts of a form become what the schema
 * means, a file its text, and the validator sees one body as of any call. Nothing is written to disk.
 */
export function multipartBody(contracts: readonly Contract[]): RequestHandler {
  const forms = contracts.flatMap(formsOf);
  return (request, _response, next) => {
    const form = forms.find(({ verb, path }) => verb === request.method && path.test(request.path));
    if (!form) return next();
    const { headers } = request;
    const isEmpty = !carriesBody(request);
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    // Another type is refused further on, in the words for all operations.
    if (!isEmpty && type !== MULTIPART) return next();
    return void (isEmpty ? Promise.resolve({}) : read(request, form)).then((body) => {
      request.body = body;
      headers['content-type'] = MULTIPART;
      next();
    }, next);
  };
}

const formsOf = memoize((contract: Contract): Form[] =>
  operationsOf(contract).flatMap(({ path, verb, operation }) => {
    const schema = operation.requestBody?.content[MULTIPART]?.schema;
    if (!schema) return [];
    return {
      verb: verb.toUpperCase(),
      path: patternOf(basePathOf(contract) + path),
      contract,
      schema: deref(contract, schema),
    };
  }),
);

/**
 * One file at most, and no field twice. What is refused is read to its end and forgotten, so that the answer gets
 * through.
 */
function read(request: Request, { contract, schema }: Form): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, unknown>();
    const refuse = (error: unknown): void => {
      request.unpipe();
      request.resume();
      reject(error instanceof DomainError ? error : malformed());
    };
    const put = (name: string, value: unknown): void => {
      if (fields.has(name)) refuse(fault(name, 'is there twice'));
      fields.set(name, value);
    };
    let parser: busboy.Busboy;
    try {
      parser = busboy({ headers: request.headers, limits: LIMITS, defParamCharset: 'utf8' });
    } catch {
      return refuse(malformed());
    }
    parser.on('field', (name, text, { valueTruncated, nameTruncated }) => {
      const property = schema.properties?.[name];
      if (valueTruncated || nameTruncated) refuse(fault(name, 'is too long'));
      else if (property && isFile(contract, property)) refuse(fault(name, 'must be a file'));
      else put(name, coerceQueryValue(contract, property, text));
    });
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('limit', () => refuse(new TooLargeError('svc_request_too_large', 'The file is larger than 2 MiB.')));
      stream.on('error', refuse);
      stream.on('end', () => {
        const text = textOf(Buffer.concat(chunks));
        if (text === null) refuse(fault(name, 'must be text in UTF-8'));
        else put(name, text);
      });
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => refuse(fault('', 'has more parts than are taken')));
    parser.on('error', refuse);
    parser.on('close', () => resolve(Object.fromEntries(fields)));
    request.on('aborted', () => reject(malformed()));
    request.pipe(parser);
  });
}

const isFile = (contract: Contract, schema: Schema): boolean =>
  deref(contract, schema)['contentMediaType'] !== undefined;

/** A mark at the start that says how the bytes are ordered is dropped; null for other encodings. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function fault(name: string, message: string): CodedInvalidError {
  const path = name === '' ? 'body' : `body.${name}`;
  return new CodedInvalidError('rest_invalid_param', `${path} ${message}.`, { errors: [{ path, message }] });
}

const malformed = (): CodedInvalidError => fault('', `is not valid ${MULTIPART}`);
