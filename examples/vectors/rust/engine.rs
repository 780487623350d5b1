//! Runs test vectors of isago's example machine: engine FILE.json... > results.jsonl
//!
//! Machine is a small emulator. To test yours, change the functions load, dump and Machine::step. With the crate serde_json,
//! the JSON reader at the end is not necessary.
use std::{collections::BTreeMap, env, fs};

#[derive(Default)]
struct Machine {
    registers: [i16; 16], // r0 to r7, s0 to s7
    last: i16,
    pc: u32, // in words
}

impl Machine {
    /// Runs the instruction at the program counter.
    fn step(&mut self, word: u16) {
        let here = self.pc;
        self.pc += 1;
        let (to, a) = ((word >> 9 & 15) as usize, self.registers[(word >> 5 & 15) as usize]);
        match word >> 13 {
            1 | 2 => {
                let b = if word & 16 != 0 { ((word << 12) as i16) >> 12 } else { self.registers[(word & 15) as usize] };
                self.last = if word >> 13 == 1 { a.wrapping_add(b) } else { a.wrapping_mul(b) };
                self.registers[to] = self.last;
            }
            3 => {
                // A fault on purpose: wrapping_shl takes the count modulo 16.
                self.last = a.wrapping_shl((word & 15) as u32 + 1);
                self.registers[to] = self.last;
            }
            4 => {
                if [true, self.last == 0, self.last != 0, self.last < 0][(word >> 11 & 3) as usize] {
                    if word >> 10 & 1 != 0 {
                        self.registers[9] = self.pc as i16;
                    }
                    self.pc = here.wrapping_add((((word << 7) as i16) >> 7) as u32);
                }
            }
            _ => {}
        }
    }
}

/// Returns a machine in the state of a vector. What the state does not name is 0.
fn load(state: &Json) -> Machine {
    let mut m = Machine { pc: state.get("pc").text().parse().unwrap(), ..Default::default() };
    for (name, value) in state.get("state").members() {
        if name == "last" {
            m.last = hex(value) as i16;
            continue;
        }
        for (number, value) in value.members() {
            m.registers[(name == "s") as usize * 8 + number.parse::<usize>().unwrap()] = hex(value) as i16;
        }
    }
    m
}

/// Returns the state of a machine in the form of a vector.
fn dump(m: &Machine) -> String {
    let file = |list: &[i16]| list.iter().enumerate().map(|(n, v)| format!(r#""{n}":"{v:04x}""#)).collect::<Vec<_>>().join(",");
    let (r, s) = (file(&m.registers[..8]), file(&m.registers[8..]));
    format!(r#"{{"pc":{},"state":{{"last":"{:04x}","r":{{{r}}},"s":{{{s}}}}}}}"#, m.pc, m.last)
}

fn main() {
    for name in env::args().skip(1) {
        let text = fs::read_to_string(name).unwrap();
        let file = Json::read(&mut text.chars().peekable());
        for vector in file.get("vectors").elements() {
            if vector.members().any(|(name, _)| name == "quirks") {
                continue; // for engines that have these settings
            }
            let mut m = load(vector.get("initial"));
            for _ in 0..vector.get("steps").text().parse().unwrap() {
                m.step(hex(&vector.get("words").elements()[m.pc as usize]) as u16);
            }
            println!(r#"{{"name":"{}","actual":{}}}"#, vector.get("name").text(), dump(&m));
        }
    }
}

fn hex(value: &Json) -> u64 {
    u64::from_str_radix(value.text(), 16).unwrap()
}

/// A JSON value. Numbers keep their text.
enum Json {
    Text(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    fn read(c: &mut std::iter::Peekable<std::str::Chars>) -> Json {
        while c.next_if(|c| " \n\r\t,:".contains(*c)).is_some() {}
        match c.next().unwrap() {
            '{' => {
                let mut members = BTreeMap::new();
                while Json::more(c, '}') {
                    let name = Json::read(c).text().to_string();
                    members.insert(name, Json::read(c));
                }
                Json::Object(members)
            }
            '[' => {
                let mut elements = vec![];
                while Json::more(c, ']') {
                    elements.push(Json::read(c));
                }
                Json::Array(elements)
            }
            '"' => {
                let mut text = String::new();
                while let Some(x) = c.next_if(|c| *c != '"') {
                    text.push(if x == '\\' { c.next().unwrap() } else { x });
                }
                c.next();
                Json::Text(text)
            }
            first => {
                let mut text = first.to_string();
                while let Some(x) = c.next_if(|c| !" \n\r\t,]}".contains(*c)) {
                    text.push(x);
                }
                Json::Text(text)
            }
        }
    }

    fn more(c: &mut std::iter::Peekable<std::str::Chars>, end: char) -> bool {
        while c.next_if(|c| " \n\r\t,".contains(*c)).is_some() {}
        c.next_if_eq(&end).is_none()
    }

    fn get(&self, name: &str) -> &Json {
        let Json::Object(members) = self else { panic!("expected an object") };
        &members[name]
    }

    fn members(&self) -> impl Iterator<Item = (&String, &Json)> {
        let Json::Object(members) = self else { panic!("expected an object") };
        members.iter()
    }

    fn elements(&self) -> &[Json] {
        let Json::Array(elements) = self else { panic!("expected an array") };
        elements
    }

    fn text(&self) -> &str {
        let Json::Text(text) = self else { panic!("expected a text or a number") };
        text
    }
}
