/** Lint rules of the contract. redocly.yaml lists those for the sources, served.redocly.yaml those for the bundle. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { deprecations } from './deprecations.mjs';
import { shapeRules } from './shapes.mjs';
import { sizedInputs } from './sizes.mjs';

const ABILITY = /^\/svc\/([a-z0-9]+(?:-[a-z0-9]+)*-v[0-9]+)\/run$/;
const ROUTE_ID = /^[a-z0-9]+(?:_[a-z0-9]+)+$/;
const FURTHER_VERB = /__(get|put|post|patch|delete)$/;
const KNOWN_KEYS = new Set([
  'x-ability',
  'x-aliases',
  'x-also',
  'x-batch',
  'x-deprecation',
  'x-effect',
  'x-errors',
  'x-etag',
  'x-example',
  'x-idempotent',
  'x-in-example',
  'x-duration',
  'x-module',
  'x-permission',
  'x-secret-answer',
  'x-site',
  'x-site-limit',
  'x-traitTag',
  'x-extensible-enum',
]);
const PERMISSIONS = parse(
  readFileSync(new URL('../../../../openapi/shared/permissions.yaml', import.meta.url), 'utf8'),
);
const CODES_FILE = new URL('../../../../openapi/shared/error-codes.yaml', import.meta.url);
const { codes: CODES } = parse(readFileSync(CODES_FILE, 'utf8'));
/** Statuses that every operation can return. */
const EVERYWHERE = ['400', '401', '403', '408', '429', '431', '500', '503'];
const SCALAR = new Set(['string', 'integer', 'number']);

const operationIdForm = () => {
  let path = '';
  return {
    PathItem: {
      enter(_item, { key }) {
        path = String(key);
      },
    },
    Operation(operation, { key: verb, report, location }) {
      const id = operation.operationId;
      const at = location.child('operationId');
      if (!id) return report({ message: 'The operation has no operationId.', location });
      const suffix = FURTHER_VERB.exec(id)?.[1];
      const base = id.replace(FURTHER_VERB, '');
      if (suffix && suffix !== verb)
        report({ message: `operationId ends in __${suffix}, but the verb is ${verb}.`, location: at });
      const ability = ABILITY.exec(path)?.[1];
      if (ability && base !== ability)
        report({ message: `operationId must be ${ability} or ${ability}__${verb}.`, location: at });
      if (!ability && !ROUTE_ID.test(base))
        report({ message: `operationId must be <domain>_<verb>[_<rest>], optionally with __${verb}.`, location: at });
    },
  };
};

/** Every operation has a success, the statuses that each can return, and those of its own codes. */
const errorsListed = () => ({
  Operation(operation, { report, location }) {
    const own = operation['x-errors'];
    if (own !== undefined && !(Array.isArray(own) && own.length > 0))
      report({
        message: 'x-errors lists the codes of this operation. Leave it out if there are none.',
        location: location.child('x-errors').key(),
      });
    const statuses = Object.keys(operation.responses ?? {});
    if (!statuses.some((status) => /^2\d\d$/.test(status)))
      report({ message: 'No 2xx answer.', location: location.child('responses') });
    for (const status of EVERYWHERE)
      if (!statuses.includes(status))
        report({
          message: `${status} is missing: every operation can return it.`,
          location: location.child('responses'),
        });
    for (const code of Array.isArray(own) ? own : [])
      if (!CODES[code]) report({ message: `Unknown code ${code}.`, location: location.child('x-errors') });
      else if (!statuses.includes(String(CODES[code].status)))
        report({ message: `${CODES[code].status} is missing: ${code} has it.`, location: location.child('responses') });
  },
});

/** The reference of a property, also where `allOf` holds it beside a default. */
const referenceOf = (schema) => (schema.allOf?.length === 1 ? schema.allOf[0] : schema);

const propertiesDescribed = () => ({
  SchemaProperties(properties, { report, location, resolve }) {
    for (const [name, schema] of Object.entries(properties))
      if (!schema.description && !resolve(referenceOf(schema)).node?.description)
        report({ message: `Property ${name} has no description.`, location: location.child(name).key() });
  },
});

/** Go generators reject a default beside a `$ref`. `allOf` with the reference alone takes one. */
const noDefaultsBesideRefs = () => ({
  // The walk follows references, so a reference is only seen in the object that holds it.
  SchemaProperties(properties, { report, location }) {
    for (const [name, { $ref, default: preset }] of Object.entries(properties))
      if ($ref && preset !== undefined)
        report({
          message: `No default beside the $ref of ${name}: write allOf with the $ref, or move the default there.`,
          location: location.child(name).key(),
        });
  },
  Parameter({ name, schema = {} }, { report, location }) {
    if (schema.$ref && schema.default !== undefined)
      report({ message: `No default beside the $ref of ${name}.`, location: location.child('schema') });
  },
});

const examplesPresent = () => ({
  SchemaProperties(properties, { report, location, resolve }) {
    for (const [name, raw] of Object.entries(properties)) {
      const reference = referenceOf(raw);
      const schema = reference.$ref ? resolve(reference).node : raw;
      const scalar = [schema?.type].flat().some((type) => SCALAR.has(type));
      if (scalar && !('const' in schema) && !schema.enum && !schema.examples)
        report({ message: `Property ${name} has no example.`, location: location.child(name) });
    }
  },
  // The build makes the example of a response from its schema.
  RequestBody({ content = {} }, { report, location }) {
    for (const [type, media] of Object.entries(content))
      if (!('example' in media) && !media.examples)
        report({ message: 'The body has no example.', location: location.child(['content', type]) });
  },
  Parameter(parameter, { report, location }) {
    if (!('example' in parameter) && !parameter.examples)
      report({ message: `Parameter ${parameter.name} has no example.`, location });
  },
});

const responseExamples = () => ({
  Response({ content = {} }, { report, location }) {
    for (const [type, media] of Object.entries(content))
      if (!('example' in media) && !media.examples)
        report({ message: 'The response has no example.', location: location.child(['content', type]) });
  },
});

const closedObjects = () => ({
  Schema(schema, { report, location }) {
    const isObject = [schema.type].flat().includes('object');
    if (isObject && schema.additionalProperties === undefined && !schema.$ref)
      report({ message: 'An object must say additionalProperties.', location });
    if (schema.allOf && !(schema.allOf.length === 1 && schema.allOf[0].$ref && schema.default !== undefined))
      report({ message: 'No allOf: share fields by $ref, not objects.', location: location.child('allOf').key() });
    if (schema.properties)
      for (const name of schema.required ?? [])
        if (!(name in schema.properties))
          report({ message: `required names ${name}, which is not a property.`, location: location.child('required') });
    for (const target of schema.properties ? Object.values(schema['x-aliases'] ?? {}) : [])
      if (!schema.properties[target])
        report({ message: `x-aliases points to ${target}, which is not a property.`, location });
  },
});

const knownExtensions = () => ({
  any(node, { report, location }) {
    if (node && typeof node === 'object' && !Array.isArray(node))
      for (const key of Object.keys(node))
        if (key.startsWith('x-') && !KNOWN_KEYS.has(key))
          report({ message: `Unknown key ${key}.`, location: location.child(key).key() });
  },
});

const abilityFacts = () => ({
  PathItem(item, { key, report, location }) {
    if (!ABILITY.test(String(key))) return;
    const facts = item['x-ability'];
    for (const name of ['category', 'readonly', 'destructive', 'idempotent'])
      if (facts?.[name] === undefined) report({ message: `x-ability.${name} is missing.`, location });
    if (facts && !facts.readonly && item.get)
      report({ message: 'Nothing that changes state answers GET.', location: location.child('get') });
    for (const verb of ['get', 'post'])
      if (item[verb] && !item[verb].description)
        report({ message: 'An ability needs a description.', location: location.child(verb) });
  },
});

/** Returns a rule that checks each operation together with its path item. */
const withPathItem = (check) => {
  let item = {};
  return {
    PathItem: {
      enter(entered) {
        item = entered;
      },
    },
    Operation(operation, context) {
      check(item, operation, context);
    },
  };
};

/** Reads need a permission whose scope includes reading, and writes one whose scope includes writing. */
const knownPermission = () =>
  withPathItem((item, operation, { key, report, location }) => {
    const permission = PERMISSIONS[operation['x-permission']];
    if (!permission)
      return report({ message: 'x-permission must be in shared/permissions.yaml.', location: location.key() });
    const isRead = item['x-ability']?.readonly ?? key === 'get';
    const scopes = isRead ? ['read', 'read_write', 'any'] : ['write', 'read_write'];
    if (!scopes.includes(permission.scope))
      report({ message: `x-permission must have one of the scopes ${scopes.join(', ')}.`, location: location.key() });
  });

const EFFECTS = ['changes', 'destroys', 'cuts-off', 'installs'];

/** Reads have no effect, and a DELETE says whether it destroys something. */
const knownEffect = () =>
  withPathItem((item, operation, { key, report, location }) => {
    const effect = operation['x-effect'];
    const ability = item['x-ability'];
    if (effect === undefined) {
      if (key === 'delete' && !ability) report({ message: 'A DELETE needs x-effect.', location: location.key() });
      return;
    }
    const at = location.child('x-effect');
    if (!EFFECTS.includes(effect)) report({ message: `x-effect must be one of ${EFFECTS.join(', ')}.`, location: at });
    if (ability?.readonly ?? key === 'get') report({ message: 'A read has no x-effect.', location: at });
    if (ability?.destructive) report({ message: 'A destructive ability needs no x-effect.', location: at });
  });

export const rules = {
  'operation-id-form': operationIdForm,
  'errors-listed': errorsListed,
  'properties-described': propertiesDescribed,
  'no-defaults-beside-refs': noDefaultsBesideRefs,
  'examples-present': examplesPresent,
  'response-examples': responseExamples,
  'closed-objects': closedObjects,
  'known-extensions': knownExtensions,
  'ability-facts': abilityFacts,
  'known-permission': knownPermission,
  'known-effect': knownEffect,
  deprecations,
  ...shapeRules,
  'sized-inputs': sizedInputs,
};
