import type { Surface } from '../../contract/surfaces.ts';

/** What openapi-generator calls a language. */
export type Language = 'python' | 'php' | 'go' | 'typescript-fetch';

/**
 * What the generator is told of the client of a surface, which is a package of its own: names, and, where all constants
 * of a package share one room, that those of an enum begin with its name.
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
  // In Go it is the path of the module: `sitefleet.example/go/abilities`.
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
        additionalProperties: { ...common, packageVersion: version, enumClassPrefix: true },
      };
    case 'typescript-fetch':
      return {};
  }
}

/** What there is to do with the clients of a language, in its own tools. */
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
