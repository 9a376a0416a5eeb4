// Whether the connections of a rule shall end along with it: asked in the dialog that takes it away.
class Dropping {
  isWanted = $state(false)
}

export const dropping = new Dropping()
