export default { test: { include: ['*.vitest.mjs'], root: import.meta.dirname } };
