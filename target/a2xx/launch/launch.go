package launch
