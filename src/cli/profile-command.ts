import { verdict } from '../reports/human.ts';
import { reveal } from '../reports/redact.ts';
import { defineCommand, type Example } from './command.ts';
import { required } from './options.ts';
import { nonEmpty } from './values.ts';

/** What tells the commands that change one profile apart. */
interface ProfileChange {
  readonly verb: 'use' | 'create' | 'remove';
  readonly about: string;
  /** What holds afterwards: "The profile NAME …". */
  readonly done: string;
  readonly examples: readonly Example[];
}

/** A command `config profile VERB <name>`. */
export function profileCommand({ verb, about, done, examples }: ProfileChange) {
  return defineCommand({
    path: `config profile ${verb}`,
    about,
    flags: {
      name: required('<name>', 'the name of the profile', {
        input: 'word',
        parse: nonEmpty,
        ...(verb === 'create' ? {} : { candidates: 'profile' }),
      }),
    },
    examples,
    run: async ({ name }, session) => {
      await (await session.state()).profiles[verb](name);
      return {
        fields: { profile: reveal(name) },
        lines: [verdict(true, `The profile ${name} ${done}.`, session.style)],
      };
    },
  });
}
