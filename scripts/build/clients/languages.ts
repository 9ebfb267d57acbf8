import type { Surface } from '../../../src/contract/surfaces.ts';

/** Name of a language in openapi-generator. */
export type Language = 'python' | 'php' | 'go' | 'typescript-fetch';

/**
 * Returns the generator's options for the client of a surface. Each client is a package with its own names. In Go,
 * constants begin with the name of their enum, because all constants of a package share one namespace; and objects are
 * open, because the client would reject a response with a field of a later release.
 */
export function namesOf(language: Language, surface: Surface, version: string): object {
  const Surface = surface.charAt(0).toUpperCase() + surface.slice(1);
  const common = {
    licenseName: 'MIT',
    developerOrganization: 'Sitefleet',
    infoName: 'Sitefleet',
    infoEmail: 'clients@sitefleet.example',
    hideGenerationTimestamp: true,
  };
  // In Go this is the path of the module: `sitefleet.example/go/abilities`.
  const place = { gitHost: 'sitefleet.example', gitUserId: language, gitRepoId: surface };
  switch (language) {
    case 'python':
      return {
        ...place,
        packageName: `sitefleet_${surface}`,
        additionalProperties: { ...common, projectName: `sitefleet-${surface}`, packageVersion: version },
      };
    case 'php':
      return {
        ...place,
        invokerPackage: `Sitefleet\\${Surface}`,
        additionalProperties: { ...common, composerPackageName: `sitefleet/${surface}`, artifactVersion: version },
      };
    case 'go':
      return {
        ...place,
        packageName: `sitefleet${surface}`,
        openObjects: true,
        additionalProperties: {
          ...common,
          packageVersion: version,
          enumClassPrefix: true,
          disallowAdditionalPropertiesIfNotPresent: false,
        },
      };
    case 'typescript-fetch':
      return {};
  }
}

/** Returns the commands that install the clients. */
export function nextStep(language: Exclude<Language, 'typescript-fetch'>, folders: Record<Surface, string>): string {
  const { abilities, v2 } = folders;
  switch (language) {
    case 'python':
      return `python3 -m pip install ${abilities} ${v2}`;
    case 'php':
      return [
        `composer config repositories.sitefleet-abilities path ${abilities}`,
        `composer config repositories.sitefleet-v2 path ${v2}`,
        'composer require "sitefleet/abilities:*@dev" "sitefleet/v2:*@dev"',
      ].join('\n');
    case 'go':
      return [
        `go mod edit -replace sitefleet.example/go/abilities=${abilities} -replace sitefleet.example/go/v2=${v2}`,
        'go get sitefleet.example/go/abilities sitefleet.example/go/v2',
      ].join('\n');
  }
}
