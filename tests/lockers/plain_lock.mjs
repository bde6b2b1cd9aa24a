// A program that shares a memory file by the plain lock-file protocol, as one
// in another language may: FILE.lock is created exclusively, kept fresh while
// it is held, and removed. It knows nothing of advisory locks and believes a
// lock of others by its age alone.
//
//     node plain_lock.mjs FILE NAME COUNT
//
// adds the entities "NAME 0" to "NAME COUNT-1", one write each, and prints the
// longest wait for the lock in milliseconds.

import { open, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const STALE_MS = 30_000;
const REFRESH_MS = 5_000;

const [file, name, count] = process.argv.slice(2);
const lock = `${file}.lock`;
const temp = `${file}.${process.pid}.tmp`;

async function isStale() {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > STALE_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

async function take() {
  for (;;) {
    try {
      return await open(lock, 'wx');
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (await isStale()) throw new Error(`${lock} was left behind`);
    await sleep(2 + 20 * Math.random());
  }
}

async function add(entity) {
  let text = '';
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const records = text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
  records.push(entity);
  await writeFile(temp, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await rename(temp, file);
}

let longest = 0;
for (let at = 0; at < Number(count); at += 1) {
  const asked = performance.now();
  const held = await take();
  longest = Math.max(longest, performance.now() - asked);
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => {});
  }, REFRESH_MS);
  try {
    await held.writeFile(String(process.pid));
    await add({ type: 'entity', name: `${name} ${at}`, entityType: 't', observations: [] });
  } finally {
    clearInterval(refresh);
    await held.close();
    await unlink(lock);
  }
}
console.log(Math.round(longest));
