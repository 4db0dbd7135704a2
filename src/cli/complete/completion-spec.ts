import { algorithms } from '../../crypto/cipher.ts';
import { settingDefinitions } from '../../state/settings.ts';
import {
  type CandidateKind,
  type Flag,
  isPositional,
  sourceName,
  takesValue,
} from '../args/options.ts';
import { globalFlags } from '../args/shared-flags.ts';
import type { CommandEntry } from '../command.ts';
import { explanationGroups } from '../explain/explanations.ts';
import { helpTopics } from '../terminal/help.ts';

export type Offer = readonly [value: string, about: string];

export interface SpecFlag
  extends Pick<Flag<unknown>, 'about' | 'repeatable' | 'input' | 'choices' | 'candidates'> {
  /** `--url`, or the syntax of an argument. */
  readonly name: string;
  readonly hasValue: boolean;
}

/** What completion knows beside the local state; written by the build, since loading all commands is slow. */
export interface CompletionSpec {
  readonly commands: readonly {
    readonly path: string;
    readonly summary: string;
    readonly flags: readonly SpecFlag[];
    readonly positionals: readonly SpecFlag[];
  }[];
  readonly globals: readonly SpecFlag[];
  readonly topics: readonly string[];
  readonly words: Readonly<Partial<Record<CandidateKind, readonly Offer[]>>>;
}

/** Loads every command, and collects what completion offers of it. */
export async function completionSpec(commands: readonly CommandEntry[]): Promise<CompletionSpec> {
  return {
    commands: await Promise.all(
      commands.map(async ({ path, summary, load }) => {
        const flags = Object.values<Flag<unknown>>((await load()).flags);
        return {
          path,
          summary,
          flags: flags.filter((flag) => !isPositional(flag)).map(specFlag),
          positionals: flags.filter(isPositional).map(specFlag),
        };
      }),
    ),
    globals: Object.values(globalFlags).map(specFlag),
    topics: helpTopics,
    words: await staticWords(),
  };
}

function specFlag(flag: Flag<unknown>): SpecFlag {
  const { about, repeatable, input, choices, candidates } = flag;
  const name = sourceName(flag);
  const hasValue = isPositional(flag) || takesValue(flag);
  return { name, about, hasValue, repeatable, input, choices, candidates };
}

async function staticWords(): Promise<CompletionSpec['words']> {
  const { checks } = await import('../../conformance/catalogue.ts');
  const { signinChecks } = await import('../../conformance/signin-catalogue.ts');
  const { operations } = await import('../../explore/operations.ts');
  const { applicationFaults, serviceFaults } = await import('../../emulator/faults.ts');
  const { tlsFaults } = await import('../../emulator/faults/tls.ts');
  const faultOffer = ({ name, title }: { name: string; title: string }): Offer => [name, title];
  return {
    'callback-check': [...checks, ...signinChecks].map(({ id, title }) => [id, title]),
    'explore-operation': operations.map(({ id, about }) => [id, about]),
    'application-fault': [...applicationFaults, ...tlsFaults('application')].map(faultOffer),
    'service-fault': [...serviceFaults, ...tlsFaults('service')].map(faultOffer),
    code: explanationGroups()
      .flatMap(({ explanations }) => explanations)
      .map(({ code, title }) => [code, title]),
    cipher: algorithms.map(({ name }) => [name, '']),
    setting: settingDefinitions.map(({ name, description }) => [name, description]),
  };
}
