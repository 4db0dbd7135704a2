import { isUtf8 } from 'node:buffer';
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { asStarted } from '../../reports/human.ts';
import { readStateFile } from '../../state/files.ts';
import { usage } from '../failure.ts';
import { makeOutputFolder, writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';

/** Folders of agents: a skill is in a folder of its own below `skills`. */
const agentFolders = ['.claude', '.agents'];
const sharedFile = 'AGENTS.md';

/** Of a file that has them, only what is between them is changed. */
const begin =
  '<!-- authcli: `authcli init agents` wrote this, and replaces it up to the mark of its end -->';
const end = '<!-- authcli: end -->';

/** Whether somebody works with coding agents in the current folder, or may: it is the root of a repository. */
export function agentPlaces({ context: { cwd } }: Session) {
  const isUsed = [sharedFile, ...agentFolders].some((name) => isThere(resolve(cwd, name)));
  return { isUsed, isProject: isUsed || isThere(resolve(cwd, '.git')) };
}

/**
 * The files that tell agents how to use authcli: a skill in each folder of agents that is there; AGENTS.md where it is
 * there, or no such folder is. Throws `usage` for files that can't be completed without loss.
 */
export async function agentFiles({ context, program }: Session): Promise<readonly AgentFile[]> {
  const { cwd, packageText } = context;
  const page = await packageText('docs/skill.md');
  const bodyAt = page.indexOf('\n# ') + 1;
  const [head, body] = [page.slice(0, bodyAt), asStarted(page.slice(bodyAt).trim(), program)];
  const folders = agentFolders.filter((folder) => isThere(resolve(cwd, folder)));
  const skills = folders.map((folder) => join(folder, 'skills', 'authcli', 'SKILL.md'));
  const files = skills.map((file) => completed(file, body, head, cwd));
  const isShared = files.length === 0 || isThere(resolve(cwd, sharedFile));
  // In a file of others, its title is one heading of several.
  return isShared ? [...files, completed(sharedFile, body.replace(/^#/gm, '##'), '', cwd)] : files;
}

/** A file with instructions for coding agents, as it should be; `before` is undefined where it isn't there. */
type AgentFile = ReturnType<typeof completed>;

/** The file with the section, in its place or at the end; a new one begins with `head`. */
function completed(file: string, body: string, head: string, cwd: string) {
  const path = resolve(cwd, file);
  if (!isWithin(path, realpathSync(cwd)))
    throw usage(`${file} is a link that leads out of this folder.`, 'Remove the link.');
  const bytes = readStateFile(path)?.bytes;
  const section = `${begin}\n\n${body}\n\n${end}`;
  if (bytes === undefined) return { file, before: undefined, after: `${head}${section}\n` };
  if (!isUtf8(bytes)) throw usage(`${file} is not UTF-8.`, 'Convert it.');
  const before = Buffer.from(bytes).toString();
  const lineEnd = before.includes('\r\n') ? '\r\n' : '\n';
  const own = section.replaceAll('\n', lineEnd);
  const from = before.indexOf(begin);
  if (from < 0) {
    const gap = before.endsWith('\n') ? lineEnd : lineEnd.repeat(2);
    return { file, before, after: `${before}${gap}${own}${lineEnd}` };
  }
  const to = before.indexOf(end, from);
  if (to < 0) throw usage(`${file} lacks the line ${end}.`, "Add it behind authcli's section.");
  return { file, before, after: before.slice(0, from) + own + before.slice(to + end.length) };
}

/** Whether links on the way lead nowhere else; what isn't there yet is judged by the folder that is. */
function isWithin(path: string, folder: string): boolean {
  if (!isThere(path)) return isWithin(dirname(path), folder);
  try {
    const way = relative(folder, realpathSync(path));
    return !way.startsWith('..') && !isAbsolute(way);
  } catch {
    return false;
  }
}

/** What became of a file, for documents. */
export type AgentResult = Awaited<ReturnType<typeof writeAgentFiles>>[number];

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Writes what differs. */
export async function writeAgentFiles(files: readonly AgentFile[], session: Session) {
  for (const { file, before, after } of files) {
    if (before === after) continue;
    makeOutputFolder(dirname(file), 'agents', session);
    await writeOutputFile(file, after, 'agents', session);
  }
  return files.map(({ file, before, after }) => {
    const changed = before === undefined ? 'new' : 'updated';
    return { file, result: before === after ? 'unchanged' : changed };
  });
}
