import fc from 'fast-check';

/*
 * Properties are tried on the same cases in every run, so that none fails by chance. Fuzzing
 * tries others. A file of tests takes fast-check from here.
 */
fc.configureGlobal({ seed: 20_260_101 });

export { fc };
