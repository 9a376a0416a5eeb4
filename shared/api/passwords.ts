// What a password must be (decisions.md, A9). The page says it while one is typed, so nothing stands here that it would
// have to load for that.
export const MIN_PASSWORD_CHARACTERS = 12
