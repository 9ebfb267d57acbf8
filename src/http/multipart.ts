import busboy from 'busboy';
import type { Request, RequestHandler } from 'express';
import { DomainError, CodedInvalidError, TooLargeError } from '../shared/errors.ts';
import {
  basePathOf,
  deref,
  memoize,
  operationsOf,
  pathPatternOf,
  type Contract,
  type Schema,
} from '../contract/index.ts';
import { carriesBody } from './request-middleware.ts';
import { coerceQueryValue } from './query-coercion.ts';

const MULTIPART = 'multipart/form-data';
const FILE_LIMIT = 2 * 1024 * 1024;
const LIMITS = { files: 1, fileSize: FILE_LIMIT, fields: 20, fieldSize: 4_096, fieldNameSize: 100, parts: 21 };

interface MultipartForm {
  verb: string;
  path: RegExp;
  contract: Contract;
  schema: Schema;
}

/**
 * Parses multipart forms, only for operations that accept them. Fields are converted by their schema, and a file
 * becomes its text, so the validator sees one body like that of any other call. Nothing is written to disk.
 */
export function multipartBody(contracts: readonly Contract[]): RequestHandler {
  const forms = contracts.flatMap(multipartFormsOf);
  return (request, _response, next) => {
    const form = forms.find(({ verb, path }) => verb === request.method && path.test(request.path));
    if (!form) return next();
    const { headers } = request;
    const isEmpty = !carriesBody(request);
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    // `normalizeRequest` refuses other types with the same error for all operations.
    if (!isEmpty && type !== MULTIPART) return next();
    return void (isEmpty ? Promise.resolve({}) : readMultipartForm(request, form)).then((body) => {
      request.body = body;
      headers['content-type'] = MULTIPART;
      next();
    }, next);
  };
}

const multipartFormsOf = memoize((contract: Contract): MultipartForm[] =>
  operationsOf(contract).flatMap(({ path, verb, operation }) => {
    const schema = operation.requestBody?.content[MULTIPART]?.schema;
    if (!schema) return [];
    return {
      verb: verb.toUpperCase(),
      path: pathPatternOf(basePathOf(contract) + path),
      contract,
      schema: deref(contract, schema),
    };
  }),
);

/**
 * Reads a multipart form with at most one file and no field twice. A refused request is read to its end, so that the
 * client gets the response.
 */
function readMultipartForm(request: Request, { contract, schema }: MultipartForm): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, unknown>();
    const refuse = (error: unknown): void => {
      request.unpipe();
      request.resume();
      reject(error instanceof DomainError ? error : malformedFormError());
    };
    const put = (name: string, value: unknown): void => {
      if (fields.has(name)) refuse(formFieldError(name, 'must be sent only once'));
      fields.set(name, value);
    };
    let parser: busboy.Busboy;
    try {
      parser = busboy({ headers: request.headers, limits: LIMITS, defParamCharset: 'utf8' });
    } catch {
      return refuse(malformedFormError());
    }
    parser.on('field', (name, text, { valueTruncated, nameTruncated }) => {
      const property = schema.properties?.[name];
      if (valueTruncated || nameTruncated) refuse(formFieldError(name, 'is too long'));
      else if (property && isFileSchema(contract, property)) refuse(formFieldError(name, 'must be a file'));
      else put(name, coerceQueryValue(contract, property, text));
    });
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('limit', () => refuse(new TooLargeError('svc_request_too_large', 'The file is larger than 2 MiB.')));
      stream.on('error', refuse);
      stream.on('end', () => {
        const text = decodeUtf8OrNull(Buffer.concat(chunks));
        if (text === null) refuse(formFieldError(name, 'must be UTF-8 text'));
        else put(name, text);
      });
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => refuse(formFieldError('', 'has too many parts')));
    parser.on('error', refuse);
    parser.on('close', () => resolve(Object.fromEntries(fields)));
    request.on('aborted', () => reject(malformedFormError()));
    request.pipe(parser);
  });
}

const isFileSchema = (contract: Contract, schema: Schema): boolean =>
  deref(contract, schema)['contentMediaType'] !== undefined;

/** Decodes UTF-8 without a byte order mark. Returns null if the bytes are not UTF-8. */
function decodeUtf8OrNull(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function formFieldError(name: string, message: string): CodedInvalidError {
  const path = name === '' ? 'body' : `body.${name}`;
  return new CodedInvalidError('rest_invalid_param', `${path} ${message}.`, { errors: [{ path, message }] });
}

const malformedFormError = (): CodedInvalidError => formFieldError('', `is not valid ${MULTIPART}`);
