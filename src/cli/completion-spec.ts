import {
  ivLengths,
  ivRules,
  keyReadings,
  paddings,
  payloadEncodings,
  tagPlaces,
} from '../crypto/cipher.ts';
import { algorithms } from '../crypto/cipher-algorithms.ts';
import { settingDefinitions } from '../state/settings.ts';
import type { CommandEntry } from './command.ts';
import { explanationSources } from './explanations.ts';
import { globalFlags } from './global-flags.ts';
import { helpTopics } from './help-topics.ts';
import {
  type CandidateKind,
  type Flag,
  flagName,
  type Input,
  isPositional,
  takesValue,
} from './options.ts';

/** A word that can be offered, and a few words on it. */
export type Offer = readonly [value: string, about: string];

/** A flag or an argument as completion sees it. */
export interface SpecFlag {
  /** `--url`; the word of an argument. */
  readonly name: string;
  readonly about: string;
  readonly hasValue: boolean;
  readonly repeatable: boolean;
  readonly references: boolean;
  readonly input: Input;
  readonly choices?: readonly string[] | undefined;
  readonly candidates?: CandidateKind | undefined;
}

/** All that completion knows beside the local state: made by the build, since to load the commands takes too long. */
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
  /** The algorithms of the cipher notation, and the values of each of its parts. */
  readonly cipher: {
    readonly algorithms: readonly string[];
    readonly parts: Readonly<Record<string, readonly string[]>>;
  };
}

/** Gathers it from the definitions. */
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
    cipher: {
      algorithms: algorithms.map(({ name }) => name),
      parts: {
        key: keyReadings,
        iv: [...ivRules, 'hex:'],
        padding: paddings,
        encoding: payloadEncodings,
        tag: tagPlaces,
        ivlen: ivLengths.map(String),
      },
    },
  };
}

function specFlag(flag: Flag<unknown>): SpecFlag {
  const { about, repeatable, references, input, choices, candidates } = flag;
  const name = isPositional(flag) ? flag.syntax : `--${flagName(flag)}`;
  const hasValue = isPositional(flag) || takesValue(flag);
  return { name, about, hasValue, repeatable, references, input, choices, candidates };
}

async function staticWords(): Promise<CompletionSpec['words']> {
  const { checks } = await import('../conformance/catalogue.ts');
  const { signinChecks } = await import('../conformance/signin-catalogue.ts');
  const { serviceChecks } = await import('../conformance/service-catalogue.ts');
  const { applicationFaults, serviceFaults } = await import('../emulator/faults.ts');
  const { reportKindNames } = await import('../reports/verify-kinds.ts');
  const { loadReportKinds } = await import('./load-flags.ts');
  const groups = await Promise.all(explanationSources.map(({ load }) => load()));
  return {
    'callback-check': [...checks, ...signinChecks].map(({ id, title }) => [id, title]),
    'service-check': serviceChecks.map(({ id, title }) => [id, title]),
    'application-fault': applicationFaults.map(({ name, title }) => [name, title]),
    'service-fault': serviceFaults.map(({ name, title }) => [name, title]),
    code: groups.flat().map(({ code, title }) => [code, title]),
    report: reportKindNames.map(reportOffer),
    'load-report': loadReportKinds.map(reportOffer),
    setting: settingDefinitions.map(({ name, description }) => [name, description]),
  };
}

function reportOffer(kind: string): Offer {
  return [`${kind}=`, 'then the file'];
}
