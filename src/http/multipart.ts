import busboy from 'busboy';
import type { Request, RequestHandler, Response } from 'express';
import { ConcurrencyLimiter } from '../shared/concurrency-limiter.ts';
import { DomainError, CodedInvalidError, TooLargeError, UnauthenticatedError } from '../shared/errors.ts';
import { UploadedFile } from '../shared/uploaded-file.ts';
import {
  basePathOf,
  binaryFormFields,
  deref,
  memoize,
  operationsOf,
  pathPatternOf,
  type Contract,
  type Schema,
} from '../contract/index.ts';
import { authorize, operationPoliciesOf, type OperationPolicy } from './operation-policy.ts';
import type { ModuleStatus } from './ports.ts';
import { carriesBody } from './request-middleware.ts';
import { coerceQueryValue } from './query-coercion.ts';

const MULTIPART = 'multipart/form-data';
const MEGABYTE = 1024 * 1024;
/** Maximum size of a text file in bytes. */
const FILE_LIMIT = 2 * MEGABYTE;
const LIMITS = { files: 1, fields: 20, fieldSize: 4_096, fieldNameSize: 100, parts: 21 };
/** Number of bytes that a form may have in addition to the limit of its file. */
const FIELDS_LIMIT = MEGABYTE;
/** Number of binary files that a process holds in memory at once. Further uploads wait without being read. */
const MAX_UPLOADS = 2;

interface MultipartForm {
  verb: string;
  path: RegExp;
  contract: Contract;
  schema: Schema;
  policy: OperationPolicy | undefined;
  binaryFields: ReadonlySet<string>;
  fileLimit: number;
}

/**
 * Parses multipart forms, only for operations that accept them. Fields are converted by their schema. A text file
 * becomes its text, so the validator sees one body like that of any other call; a binary file becomes an
 * `UploadedFile`. Nothing is written to disk. A form with a binary file is read only for callers that may call the
 * operation.
 */
export function multipartBody(contracts: readonly Contract[], modules: ModuleStatus): RequestHandler {
  const forms = contracts.flatMap(multipartFormsOf);
  const uploads = new ConcurrencyLimiter(MAX_UPLOADS);
  return (request, response, next) => {
    const form = forms.find(({ verb, path }) => verb === request.method && path.test(request.path));
    if (!form) return next();
    const { headers } = request;
    const isEmpty = !carriesBody(request);
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    // `normalizeRequest` refuses other types with the same error for all operations.
    if (!isEmpty && type !== MULTIPART) return next();
    if (Number(headers['content-length']) > form.fileLimit + FIELDS_LIMIT) return next(fileTooLarge(form));
    const take = (body: unknown): void => {
      request.body = body;
      headers['content-type'] = MULTIPART;
      next();
    };
    if (isEmpty) return take({});
    if (form.binaryFields.size === 0) return void readMultipartForm(request, form).then(take, next);
    return void readUpload({ request, response, form, modules, uploads }, take).catch(next);
  };
}

interface Upload {
  request: Request;
  response: Response;
  form: MultipartForm;
  modules: ModuleStatus;
  uploads: ConcurrencyLimiter;
}

/** The upload counts towards `MAX_UPLOADS` until the response was sent or the connection has ended. */
async function readUpload(
  { request, response, form, modules, uploads }: Upload,
  take: (body: unknown) => void,
): Promise<void> {
  const { caller } = response.locals;
  if (!caller) throw new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.');
  if (form.policy) await authorize(form.policy, caller, modules);
  await uploads.run(async () => {
    if (response.destroyed || request.destroyed) return;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    take(await readMultipartForm(request, form));
    await closed;
  });
}

const multipartFormsOf = memoize((contract: Contract): MultipartForm[] =>
  operationsOf(contract).flatMap(({ path, verb, operation }) => {
    const media = operation.requestBody?.content[MULTIPART]?.schema;
    if (!media) return [];
    const schema = deref(contract, media);
    const binaryFields = new Set(binaryFormFields(contract, schema));
    const limits = [...binaryFields].map((name) => deref(contract, schema.properties?.[name] ?? {}).maxLength);
    return {
      verb: verb.toUpperCase(),
      path: pathPatternOf(basePathOf(contract) + path),
      contract,
      schema,
      policy: operationPoliciesOf(contract).get(operation.operationId),
      binaryFields,
      fileLimit: Math.max(FILE_LIMIT, ...limits.map(Number)),
    };
  }),
);

/**
 * Reads a multipart form with at most one file and no field twice. A refused request is read to its end, so that the
 * client gets the response.
 */
function readMultipartForm(request: Request, form: MultipartForm): Promise<Record<string, unknown>> {
  const { contract, schema, binaryFields, fileLimit } = form;
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
      parser = busboy({
        headers: request.headers,
        limits: { ...LIMITS, fileSize: fileLimit },
        defParamCharset: 'utf8',
      });
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
      stream.on('limit', () => refuse(fileTooLarge(form)));
      stream.on('error', refuse);
      stream.on('end', () => {
        if (binaryFields.has(name)) return put(name, new UploadedFile(Buffer.concat(chunks)));
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

const fileTooLarge = ({ fileLimit }: MultipartForm): TooLargeError =>
  new TooLargeError('svc_request_too_large', `The file is larger than ${fileLimit / MEGABYTE} MiB.`);

const isFileSchema = (contract: Contract, schema: Schema): boolean =>
  deref(contract, schema)['contentMediaType'] !== undefined;

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
