import { createRequire } from 'node:module';
import type * as Validator from 'express-openapi-validator';

type Library = typeof Validator;

/**
 * Packages that the validator loads and this service never uses: `skipFileReferences` replaces the first, and
 * `fileUploader` is off. With their own dependencies they are 70 files, or 2 MB of memory.
 */
export const UNUSED_PACKAGES = ['@apidevtools/json-schema-ref-parser', 'multer'];

/** Loads express-openapi-validator without `UNUSED_PACKAGES`. Other users of these packages get the real ones. */
function loadValidatorLibrary(): Library {
  const load = createRequire(import.meta.url);
  const { resolve } = createRequire(load.resolve('express-openapi-validator'));
  const files = UNUSED_PACKAGES.map((name) => resolve(name)).filter((file) => !load.cache[file]);
  for (const file of files) load.cache[file] = { id: file, filename: file, loaded: true, exports: {} } as NodeModule;
  try {
    return load('express-openapi-validator') as Library;
  } finally {
    for (const file of files) delete load.cache[file];
  }
}

export const OpenApiValidator = loadValidatorLibrary();
