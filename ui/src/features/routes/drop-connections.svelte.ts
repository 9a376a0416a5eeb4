// Whether the connections of a rule shall end along with it: asked in the dialog that takes it away.
class DropOption {
  isOn = $state(false)
}

export const dropOption = new DropOption()
